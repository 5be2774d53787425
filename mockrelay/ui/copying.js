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

/** As a test that sends the call to its own relayer and expects the same code. */
export function asTest({ call, account, areKeysShown }) {
  const key = areKeysShown && account ? JSON.stringify(account.apiKey) : account ? `relayer.account(${JSON.stringify(account.name)}).api_key` : null;
  const headers = key === null ? "" : `, headers={"X-API-KEY": ${key}}`;
  const body = call.body === null ? "" : `, json=${python(call.body, "    ")}`;
  const expected = call.code === null ? `answer.status_code == ${call.status}` : `code == ${call.code}`;
  const reading = call.code === null ? "" : '    code = answer.json().get("resultInfo", {}).get("code", 0)\n';
  return `import requests


def test_${call.endpoint ?? "call"}(relayer):
    answer = requests.${call.method.toLowerCase()}(relayer.url + ${JSON.stringify(call.target)}${headers}${body}, timeout=10)
${reading}    assert ${expected}
`;
}

/** As a fault that answers such a call in the same way. */
export function asFault({ call }) {
  const effect = call.code > 0 ? `code: ${call.code}` : call.status === null ? "drop: true" : call.status >= 400 ? `status: ${call.status}` : "delay: 5s";
  return `faults:\n  - {on: ${call.endpoint ?? "submit_order"}, ${effect}}\n`;
}
