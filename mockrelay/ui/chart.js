// Candles and depth, drawn by uPlot.

import { html, useEffect, useRef } from "./lib.js";
import uPlot from "./vendor/uplot.js";

const HEIGHT = 260;

function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return { up: of("--up"), down: of("--down"), text: of("--pico-muted-color"), grid: of("--grid"), upFill: of("--up-fill"), downFill: of("--down-fill") };
}

/** A chart that follows its box and the colours of the page. `options(colours)` are those of uPlot, `data` its columns. */
function Chart({ options, data, label, height = HEIGHT }) {
  const box = useRef(null);
  const chart = useRef(null);
  const present = useRef(data);
  present.current = data;
  useEffect(() => {
    const make = () => {
      chart.current?.destroy();
      const width = Math.max(200, box.current.clientWidth);
      chart.current = new uPlot({ width, height, padding: [12, 28, 0, 0], legend: { show: false }, ...options(colours()) }, present.current, box.current);
    };
    make();
    const watch = new ResizeObserver(() => chart.current.setSize({ width: Math.max(200, box.current.clientWidth), height }));
    watch.observe(box.current);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", make);
    return () => {
      watch.disconnect();
      dark.removeEventListener("change", make);
      chart.current.destroy();
      chart.current = null;
    };
  }, []);
  useEffect(() => chart.current?.setData(data), [data]);
  return html`<div class="chart" role="img" aria-label=${label} ref=${box}></div>`;
}

const axis = ({ text, grid }) => ({ stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font: "11px system-ui" });

/** The time of day; at midnight, and for intervals of days, the date. */
const times = (chart, splits) => splits.map((seconds) => {
  const [day, time] = new Date(seconds * 1000).toISOString().split("T");
  return seconds % 86_400 === 0 ? day.slice(5) : time.slice(0, 5);
});

function drawCandles({ up, down }) {
  return (chart) => {
    const { ctx } = chart;
    const [times, opens, highs, lows, closes] = chart.data;
    const at = (value, scale) => chart.valToPos(value, scale, true);
    const gap = times.length > 1 ? Math.min(...times.slice(1).map((time, index) => at(time, "x") - at(times[index], "x"))) : 40;
    const width = Math.max(2, Math.min(24 * devicePixelRatio, gap * 0.7));
    ctx.save();
    ctx.beginPath();
    ctx.rect(chart.bbox.left, chart.bbox.top, chart.bbox.width, chart.bbox.height);
    ctx.clip();
    times.forEach((time, index) => {
      const x = at(time, "x");
      const isUp = closes[index] >= opens[index];
      ctx.fillStyle = ctx.strokeStyle = isUp ? up : down;
      ctx.lineWidth = devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(x, at(highs[index], "y"));
      ctx.lineTo(x, at(lows[index], "y"));
      ctx.stroke();
      const [top, bottom] = [at(Math.max(opens[index], closes[index]), "y"), at(Math.min(opens[index], closes[index]), "y")];
      ctx.fillRect(x - width / 2, top, width, Math.max(devicePixelRatio, bottom - top));
    });
    ctx.restore();
  };
}

const padded = (chart, least, most) => {
  const room = (most - least) * 0.08 || most * 0.01 || 1;
  return [least - room, most + room];
};

/** Candles: columns of start in seconds, open, high, low, close. `lengthS` is that of an interval. */
export function Candles({ data, lengthS, digits, label }) {
  const options = (colour) => ({
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    cursor: { y: false },
    scales: { x: { range: (chart, first, last) => [first - lengthS, last + lengthS] }, y: { range: padded } },
    series: [{}, ...[0, 1, 2, 3].map(() => ({ paths: () => null, points: { show: false } }))],
    axes: [{ ...axis(colour), values: times }, { ...axis(colour), size: 84, values: (chart, splits) => splits.map((price) => price.toFixed(digits)) }],
    hooks: { draw: [drawCandles(colour)] },
  });
  return html`<${Chart} options=${options} data=${data} label=${label} />`;
}

/** The depth curve: columns of price, what is bid at it or above, what is asked at it or below. */
export function Depth({ data, digits, label }) {
  const stepped = uPlot.paths.stepped;
  const options = (colour) => ({
    cursor: { y: false },
    scales: { x: { time: false }, y: { range: (chart, least, most) => [0, (most || 1) * 1.08] } },
    series: [
      {},
      { stroke: colour.up, fill: colour.upFill, width: 2, paths: stepped({ align: -1 }), points: { show: false } },
      { stroke: colour.down, fill: colour.downFill, width: 2, paths: stepped({ align: 1 }), points: { show: false } },
    ],
    axes: [
      { ...axis(colour), space: 90, values: (chart, splits) => splits.map((price) => price.toFixed(digits)) },
      { ...axis(colour), size: 64, values: (chart, splits) => splits.map((size) => Intl.NumberFormat("en", { notation: "compact" }).format(size)) },
    ],
  });
  return html`<${Chart} options=${options} data=${data} label=${label} />`;
}
