// A call as something to paste: a command line, a test, a fault of a scenario.

const MASKED = "(masked)";
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** As a command line. Keys are placeholders unless they are shown. */
export function asCurl({ call, account, areKeysShown, url }) {
  const parts = ["curl", "-s"];
  if (call.method !== "GET") parts.push("-X", call.method);
  parts.push(quoted(url + call.target));
  for (const [name, value] of Object.entries(call.headers)) {
    if (["x-api-key", "x-api-sig", "content-type"].includes(name)) parts.push("-H", header(name, value, account, areKeysShown));
  }
  if (call.body !== null) parts.push("-d", quoted(JSON.stringify(call.body)));
  return parts.join(" ");
}

function header(name, value, account, areKeysShown) {
  if (name === "x-api-key" && areKeysShown && account) return quoted(`X-API-KEY: ${account.apiKey}`);
  if (value !== MASKED) return quoted(`${name}: ${value}`);
  return name === "x-api-key" ? '"X-API-KEY: $API_KEY"' : '"X-API-SIG: $API_SIG"';
}

const NAMES = { true: "True", false: "False", null: "None" };

/** A JSON value as Python writes it. */
function python(value, indent) {
  if (Array.isArray(value)) return `[${value.map((one) => python(one, indent)).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    const inner = `${indent}    `;
    const lines = Object.entries(value).map(([name, one]) => `${inner}${JSON.stringify(name)}: ${python(one, inner)},\n`);
    return lines.length === 0 ? "{}" : `{\n${lines.join("")}${indent}}`;
  }
  return typeof value === "string" ? JSON.stringify(value) : NAMES[String(value)] ?? String(value);
}

/** As a test that makes the call at the same moment in the same scenario, and expects the same code. */
export function asTest({ call, account, areKeysShown, scenario }) {
  const name = call.endpoint ?? "call";
  const expected = call.code === null ? `    assert answer.status_code == ${call.status}\n` : `    assert answer.json().get("resultInfo", {}).get("code", 0) == ${call.code}\n`;
  const at = new Date(call.at_ms - (call.at_ms % 1000)).toISOString().replace(".000Z", "Z");
  return `import pytest
import requests


@pytest.mark.relayer(scenario=${JSON.stringify(scenario)}, clock="${at}")
def test_${name}(relayer):
${isSigned(call) && account ? signedCall(call, account, name) : plainCall(call, account, areKeysShown)}${expected}`;
}

/** Whether it was sent with signatures, which are never shown. */
const isSigned = (call) => call.headers["x-api-sig"] !== undefined || (call.body !== null && JSON.stringify(call.body).includes(MASKED));

/** A body without what is masked. */
function unmasked(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== MASKED).map(([name, one]) => [name, unmasked(one)]));
}

const signedCall = (call, account, name) => `    body = ${python(unmasked(call.body), "    ")}
    signed = relayer.account(${JSON.stringify(account.name)}).sign("${name}", body)
    answer = requests.${call.method.toLowerCase()}(signed.url, data=signed.content, headers=signed.headers, timeout=10)
`;

function plainCall(call, account, areKeysShown) {
  const key = account && (areKeysShown ? JSON.stringify(account.apiKey) : `relayer.account(${JSON.stringify(account.name)}).api_key`);
  const headers = key ? `, headers={"X-API-KEY": ${key}}` : "";
  const body = call.body === null ? "" : `, json=${python(call.body, "    ")}`;
  return `    answer = requests.${call.method.toLowerCase()}(relayer.url + ${JSON.stringify(call.target)}${headers}${body}, timeout=10)\n`;
}

/** As a fault that answers such a call in the same way. */
export function asFault({ call }) {
  const effect = call.code > 0 ? `code: ${call.code}` : call.status === null ? "drop: true" : call.status >= 400 ? `status: ${call.status}` : "delay: 5s";
  return `faults:\n  - {on: ${call.endpoint ?? "submit_order"}, ${effect}}\n`;
}
