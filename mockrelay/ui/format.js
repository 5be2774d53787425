// Texts of amounts, moments and hashes.

/** An amount in the smallest unit as a decimal text. */
export function amount(text, decimals, shown = 6) {
  const isNegative = text.startsWith("-");
  const digits = text.replace("-", "").padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  const part = digits.slice(digits.length - decimals).replace(/0+$/, "");
  const short = part.length > shown ? `${part.slice(0, shown)}…` : part;
  return `${isNegative ? "-" : ""}${whole}${short ? `.${short}` : ""}`;
}

/** The same as a number, for charts. */
export const approximate = (text, decimals) => Number(text) / 10 ** decimals;

export const iso = (ms) => new Date(ms).toISOString().replace(".000Z", "Z");
/** A moment: the time of day, with its date in front where that is another than `near_ms` has. */
export function moment(ms, nearMs = ms) {
  const [day, time] = iso(ms).slice(0, -1).split("T");
  const [nearDay] = iso(nearMs).split("T");
  return day === nearDay ? time : `${day} ${time}`;
}

const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1000, "s"],
];

/** A span of time in its two largest units: `1h 5m`. */
export function span(ms) {
  const parts = [];
  let rest = Math.max(0, Math.round(ms));
  for (const [length, unit] of UNITS) {
    if (rest >= length && parts.length < 2) {
      parts.push(`${Math.floor(rest / length)}${unit}`);
      rest %= length;
    }
  }
  if (parts.length === 0 && rest > 0) parts.push(`${rest}ms`);
  return parts.join(" ") || "now";
}

export const short = (hash) => (hash.length > 14 ? `${hash.slice(0, 8)}…${hash.slice(-4)}` : hash);

export const json = (value) => JSON.stringify(value, null, 2);
