// What a page does: one call that needs a preflight, since X-API-KEY is no header that forms can send.
export async function orderCount(relayer, key, account) {
  const answer = await fetch(`${relayer}/api/v2/orders?accountId=${account}`, { headers: { "X-API-KEY": key } });
  const { data } = await answer.json();
  return { count: data.totalNum, requestId: answer.headers.get("X-Mockrelay-Request-Id") };
}
