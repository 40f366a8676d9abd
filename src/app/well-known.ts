import type { FastifyInstance } from 'fastify';
import type { Config } from '#platform/config.ts';
import { addSeconds, instant } from '#wire/instant.ts';

/** RFC 9116 recommends less than a year. */
const secondsOfSecurityTxt = 180 * 24 * 60 * 60;

/** Serves security.txt (RFC 9116), and the address that leads password managers to the page of the account. */
export function serveWellKnown(app: FastifyInstance, { supportEmail, publicUrl }: Config): void {
  const withHead = { exposeHeadRoute: true };
  app.get('/.well-known/change-password', withHead, (_request, reply) => reply.redirect('/app/profile', 302));
  if (!supportEmail) return;
  const path = '/.well-known/security.txt';
  app.get(path, withHead, (_request, reply) => {
    const fields = [
      `Contact: mailto:${supportEmail}`,
      `Expires: ${addSeconds(instant(Date.now()), secondsOfSecurityTxt)}`,
      `Canonical: ${publicUrl}${path}`,
    ];
    return reply.type('text/plain; charset=utf-8').send(`${fields.join('\n')}\n`);
  });
}
