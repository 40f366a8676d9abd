// Runs many websockets in a separate process, so that they do not delay the measured requests.
import { WebSocket } from 'ws';

const sockets = new Set<WebSocket>();
let open = 0;

/** A client that reconnects like the web app: after 5 s, then after 5 to 10 s. */
function keepOpen(address: string): void {
  let tries = 0;
  const connect = () => {
    const socket = new WebSocket(address, { handshakeTimeout: 10_000, perMessageDeflate: false });
    let isOpen = false;
    sockets.add(socket);
    socket
      .on('error', () => {})
      .on('open', () => {
        isOpen = true;
        tries = 0;
        open++;
      })
      .on('close', () => {
        if (isOpen) open--;
        sockets.delete(socket);
        setTimeout(connect, 5000 + (tries++ > 0 ? Math.random() * 5000 : 0));
      });
  };
  connect();
}

process.on('message', (addresses: string[]) => addresses.forEach(keepOpen));
setInterval(() => process.send?.(open), 50);
process.once('disconnect', () => {
  for (const socket of sockets) socket.terminate();
  process.exit();
});
