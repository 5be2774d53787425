// The ordinary calls of a test, by the types that openapi-typescript makes of both documents.
import assert from "node:assert/strict";

import createClient from "openapi-fetch";

import type { paths as ControlPaths } from "./control";
import type { components, paths as RelayerPaths } from "./relayer";

const baseUrl = process.env.RELAYER_URL;
const control = createClient<ControlPaths>({ baseUrl });

/** What a call answers. */
function done<T>(answer: { data?: T; error?: unknown }): T {
  assert.ok(answer.data !== undefined, JSON.stringify(answer.error));
  return answer.data;
}

done(await control.POST("/__mockrelay/reset", {
  body: { choices: { "http.error_status": "split" }, clock: { rate: 0, start: "2026-01-01T00:00:00Z" }, limits: "off" },
}));
done(await control.PUT("/__mockrelay/choices", { body: { "order.dust": "keep" } }));
done(await control.POST("/__mockrelay/clock", { body: { advance: "15s" } }));

const alice = done(await control.GET("/__mockrelay/accounts/{id}", { params: { path: { id: "alice" } } }));
const { accountId } = alice;
const relayer = createClient<RelayerPaths>({ baseUrl, headers: { "X-API-KEY": alice.apiKey } });
const lrcBefore: string = alice.balances.LRC.free;

// # region calls
done(await control.POST("/__mockrelay/faults", { body: { on: "get_orders", code: 107001, when: { accountId } } }));
const ask = async () => done(await relayer.GET("/api/v2/orders", { params: { query: { accountId } } }));

const refusal = await ask();
if ("data" in refusal) assert.fail("it should be refused");
const code: number = refusal.resultInfo.code;
assert.equal(code, 107001);

const orders = await ask();
if (!("data" in orders)) assert.fail(orders.resultInfo.message);
const total: number = orders.data.totalNum;
assert.equal(total, 0);
// # endregion

done(await control.POST("/__mockrelay/verify", { body: { endpoint: "get_orders", times: 2, query: { accountId } } }));

type Order = components["schemas"]["submit_order_request"];
const order: Omit<Order, "signatureRx" | "signatureRy" | "signatureS"> = {
  exchangeId: 2,
  accountId,
  orderId: 0,
  tokenSId: 1,
  tokenBId: 0,
  amountS: "100000000000000000000",
  amountB: "50000000000000000",
  buy: "false",
  validSince: 1767225600,
  validUntil: 1772409600,
  maxFeeBips: 63,
  label: 211,
};
const signed = done(await control.POST("/__mockrelay/sign", { body: { account: "alice", endpoint: "submit_order", body: order } }));
const submitted = done(await relayer.POST("/api/v3/order", { body: signed.body as Order }));
if (!("data" in submitted)) assert.fail(submitted.resultInfo.message);
assert.match(submitted.data.orderHash, /^0x/);

const after = done(await control.GET("/__mockrelay/accounts/{id}", { params: { path: { id: "10001" } } }));
assert.equal(BigInt(lrcBefore) - BigInt(after.balances.LRC.free), BigInt(order.amountS));
assert.deepEqual(done(await control.GET("/__mockrelay/problems")), []);
console.log("called");
