// Faults: armed from a form that knows the fields of each effect, and how often each has fired.

import { control } from "./api.js";
import { html, useEffect, useState } from "./lib.js";
import { Act, Badge, Choose, Field, Part, Waiting } from "./parts.js";
import { useView } from "./store.js";

const ASIDE = ["name", "on", "when", "nth", "times", "at", "message"];

/** The form's fields and effects, from the document of the control API. */
async function readForm() {
  const { components } = await control("GET", "openapi.json", undefined, { ofServer: true });
  const { properties, oneOf } = components.schemas.post_faults_request;
  return {
    endpoints: components.schemas.EndpointName.enum,
    effects: oneOf.map(({ required: [name] }) => [name, properties[name]]),
    at: properties.at.enum,
  };
}

export function Faults() {
  const { value, error } = useView("faults", ["fault", "command", "call"], 500);
  return html`<div class="two">
    <${Part} title="Faults" kind="list" actions=${html`<span class="count">${value?.length ?? 0}</span>
        <${Act} run=${() => control("DELETE", "faults")}>Remove all<//>`}>
      ${!value ? html`<${Waiting} error=${error} />` : value.length === 0 ? html`<p class="empty">no fault is armed</p>` : html`
        <ul class="faults">${value.map((fault) => html`<${FaultRow} key=${fault.id} fault=${fault} />`)}</ul>`}
    <//>
    <${FaultForm} />
  </div>`;
}

function FaultRow({ fault }) {
  const effect = Object.entries(fault).filter(([name, value]) => !["id", "fired", "listed", ...ASIDE].includes(name) && value !== null);
  return html`<li>
    <div class="head"><strong>${fault.id}</strong> ${fault.name ?? ""} <code>${fault.on}</code>
      ${effect.map(([name, value]) => html`<${Badge} key=${name} kind="fault">${name}: ${String(value)}<//>`)}
      ${fault.listed === false && html`<${Badge} title="the specification does not list this code for this endpoint">not listed<//>`}
      <${Act} run=${() => control("DELETE", `faults/${fault.id}`)} aria-label=${`Remove ${fault.id}`}>Remove<//></div>
    <div><progress value=${fault.fired} max=${fault.times} aria-label=${`fired ${fault.fired} of ${fault.times}`}></progress>
      <small>fired ${fault.fired} of ${fault.times}${fault.nth > 1 ? `, from call ${fault.nth} on` : ""}${Object.keys(fault.when).length ? ` when ${JSON.stringify(fault.when)}` : ""}${fault.at ? `, ${fault.at}` : ""}</small></div>
  </li>`;
}

function valueOf(schema, text) {
  if (schema.type === "integer") return Number(text);
  return schema.const === true ? true : text;
}

function FaultForm() {
  const [form, setForm] = useState(null);
  const [wrong, setWrong] = useState(null);
  const [fields, setFields] = useState({ on: "submit_order", effect: "code", value: "102014", at: "", name: "", nth: "1", times: "1", when: "", message: "" });
  useEffect(() => {
    readForm().then(setForm, setWrong);
  }, []);
  if (form === null) return html`<${Part} title="Arm a fault" kind="detail"><${Waiting} error=${wrong} /><//>`;
  const set = (name) => (value) => setFields((before) => ({ ...before, [name]: value }));
  const input = (name, more = {}) => html`<input value=${fields[name]} onInput=${(event) => set(name)(event.currentTarget.value)} ...${more} />`;
  const [, schema] = form.effects.find(([name]) => name === fields.effect);
  const choose = (effect) => {
    const [, next] = form.effects.find(([name]) => name === effect);
    setFields((before) => ({ ...before, effect, value: String(next.enum?.[0] ?? next.examples?.[0] ?? true) }));
  };
  const arm = async () => {
    const body = { on: fields.on, [fields.effect]: valueOf(schema, fields.value), nth: Number(fields.nth), times: Number(fields.times) };
    for (const name of ["name", "at", "message"]) if (fields[name]) body[name] = fields[name];
    if (fields.when) body.when = JSON.parse(fields.when);
    await control("POST", "faults", body);
  };
  return html`<${Part} title="Arm a fault" kind="detail">
    <form class="form" onSubmit=${(event) => event.preventDefault()}>
      <${Choose} label="on" value=${fields.on} options=${form.endpoints} onChange=${set("on")} />
      <${Choose} label="effect" value=${fields.effect} options=${form.effects.map(([name]) => name)} onChange=${choose} />
      <p class="note">${schema.description}</p>
      ${schema.enum ? html`<${Choose} label=${fields.effect} value=${fields.value} options=${schema.enum.map(String)} onChange=${set("value")} />`
        : schema.const === true ? null : html`<${Field} label=${fields.effect}>${input("value", { inputmode: schema.type === "integer" ? "numeric" : undefined })}<//>`}
      ${fields.effect === "code" && html`<${Field} label="message" hint="in place of the code's own">${input("message")}<//>`}
      <div class="pair">
        <${Field} label="from call" hint="nth">${input("nth", { inputmode: "numeric" })}<//>
        <${Field} label="how often" hint="times">${input("times", { inputmode: "numeric" })}<//>
      </div>
      <${Choose} label="when it acts" value=${fields.at} options=${[["", "as usual"], ...form.at]} onChange=${set("at")} />
      <${Field} label="only when" hint="decoded fields as JSON">${input("when", { placeholder: '{"accountId": 10001}' })}<//>
      <${Field} label="name">${input("name")}<//>
      <${Act} run=${arm} kind="primary">Arm it<//>
    </form>
  <//>`;
}
