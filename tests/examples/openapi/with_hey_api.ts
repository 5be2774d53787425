// The ordinary calls of a test, by the clients that hey-api makes of both documents.
import assert from "node:assert/strict";

import { client as control } from "./hey_control/client.gen.js";
import { getAccountsId, postFaults, postReset, postSign, postVerify, putChoices } from "./hey_control/index.js";
import { client as relayer } from "./hey_relayer/client.gen.js";
import { type SubmitOrderRequest, getOrders, submitOrder } from "./hey_relayer/index.js";

const baseUrl = process.env.RELAYER_URL!;
control.setConfig({ baseUrl, throwOnError: true });
relayer.setConfig({ baseUrl });

await postReset({ body: { choices: { "http.error_status": "split" }, clock: "frozen", limits: "off" } });
await putChoices({ body: { "order.dust": "keep" } });
const { data: alice } = await getAccountsId({ path: { id: "alice" }, throwOnError: true });
const { accountId, apiKey } = alice;
const headers = { "X-API-KEY": apiKey };

await postFaults({ body: { on: "get_orders", code: 107001, when: { accountId } } });
const { data: refusal } = await getOrders({ query: { accountId }, headers, throwOnError: true });
if ("data" in refusal) assert.fail("it should be refused");
const code: number = refusal.resultInfo.code;
assert.equal(code, 107001);

const { data: orders } = await getOrders({ query: { accountId }, headers, throwOnError: true });
if (!("data" in orders)) assert.fail(orders.resultInfo.message);
const total: number = orders.data.totalNum;
assert.equal(total, 0);
await postVerify({ body: { endpoint: "get_orders", times: 2, query: { accountId } }, throwOnError: true });

const now = Math.floor(Date.now() / 1000);
const order: Omit<SubmitOrderRequest, "signatureRx" | "signatureRy" | "signatureS"> = {
  exchangeId: 2,
  accountId,
  orderId: 0,
  tokenSId: 1,
  tokenBId: 0,
  amountS: "100000000000000000000",
  amountB: "50000000000000000",
  buy: "false",
  validSince: now,
  validUntil: now + 60 * 86400,
  maxFeeBips: 63,
  label: 211,
};
const { data: signed } = await postSign({ body: { account: "alice", endpoint: "submit_order", body: order }, throwOnError: true });
const { data: submitted } = await submitOrder({ body: signed.body as SubmitOrderRequest, headers, throwOnError: true });
if (!("data" in submitted)) assert.fail(submitted.resultInfo.message);
assert.match(submitted.data.orderHash, /^0x/);
console.log("called");
