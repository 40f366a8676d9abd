// A process of its own with many people's websockets, so that whoever else asks meanwhile does not wait for them.
import { WebSocket } from 'ws';

const sockets = new Set<WebSocket>();
let open = 0;

/** A client that comes back as the web does: after 5 s, and then after 5 s and up to 5 more. */
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
