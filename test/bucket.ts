import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

const bucket = 'club-pictures';

/** A fake S3 server with the calls that Muster makes. It rejects requests without a valid-looking signature. */
export async function bucketServer() {
  const kept = new Map<string, Buffer>();
  const state = { mood: 200, room: Infinity };
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const key = (request.url ?? '').split('?')[0] as string;
      const isSigned =
        /^AWS4-HMAC-SHA256 Credential=the-key\/\d{8}\/auto\/s3\/aws4_request, ?SignedHeaders=[\w;-]+, ?Signature=[0-9a-f]{64}$/;
      if (!isSigned.test(request.headers.authorization ?? '')) return response.writeHead(403).end();
      if (state.mood !== 200) return response.writeHead(state.mood).end('<Error><Code>Mood</Code></Error>');
      if (request.method === 'PUT' && kept.size >= state.room) return response.writeHead(507).end();
      const query = new URLSearchParams((request.url ?? '').split('?')[1]);
      if (query.get('list-type') === '2')
        return response.writeHead(200).end(listing(kept, query.get('prefix')));
      if (request.method === 'PUT') kept.set(key, body);
      else if (!kept.has(key)) return response.writeHead(request.method === 'DELETE' ? 204 : 404).end();
      else if (request.method === 'DELETE') kept.delete(key);
      return response.writeHead(200).end(request.method === 'GET' ? kept.get(key) : undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    kept,
    state,
    settings: {
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY: 'the-key',
      S3_SECRET_KEY: 'the-secret',
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function listing(kept: ReadonlyMap<string, Buffer>, prefix: string | null): string {
  const keys = [...kept.keys()].map((path) => path.slice(`/${bucket}/`.length));
  const found = keys.filter((key) => key.startsWith(prefix ?? ''));
  const contents = found.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`);
  return `<ListBucketResult><Name>${bucket}</Name><KeyCount>${found.length}</KeyCount><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`;
}
