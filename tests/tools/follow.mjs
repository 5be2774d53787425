// `node follow.mjs URL MESSAGE`: sends a message, answers the heartbeat, prints what comes, and leaves when an order is filled.
const [url, message] = process.argv.slice(2);
const socket = new WebSocket(url);
socket.onopen = () => socket.send(message);
socket.onmessage = ({ data }) => {
  if (data === "ping") return socket.send("pong");
  console.log(data);
  if (JSON.parse(data).data?.status === "processed") socket.close(1000, "filled");
};
socket.onerror = (event) => console.log(JSON.stringify({ error: event.message ?? event.type }));
socket.onclose = ({ code, wasClean }) => console.log(JSON.stringify({ code, wasClean }));
