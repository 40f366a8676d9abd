import { z } from 'zod';
import { asciiDomain } from '#wire/email-address.ts';

/** A host name or IP address as in a `Host` header, without a port. */
const hostName = z.string().transform((name, context) => {
  const url = /^(\[[\da-f:.]+\]|[^\s/?#@:]+)$/i.test(name) ? URL.parse(`http://${name}`) : null;
  if (url) return url.hostname;
  context.addIssue('must be host names without a port, with commas between them');
  return z.NEVER;
});

/** Host names with commas between them. */
export const hostNames = z
  .string()
  .transform((names) => names.split(',').map((name) => name.trim()))
  .pipe(z.array(hostName));

/** Domains of email addresses, in the form that the app stores addresses in. */
export const emailDomains = z
  .string()
  .transform((names) => names.split(',').map((name) => asciiDomain(name.trim()).toLowerCase()))
  .pipe(
    z.array(
      z
        .string()
        .regex(/^[^\s@,]+\.[^\s@,]+$/, 'must be domains such as example.org, with commas between them'),
    ),
  );

/** A host name, `*.` and a host name for all hosts below it, or a loopback address with its port. */
const pushHost = /^(?:(?:\*\.)?(?:[a-z\d-]+\.)+[a-z][a-z\d-]*|(?:127(?:\.\d{1,3}){3}|\[::1\]):\d{1,5})$/;

/** Host names with commas between them. `none` means that there are none. */
export const pushHosts = z.string().transform((text, context): readonly string[] => {
  if (text === 'none') return [];
  const hosts = text.split(',').map((host) => host.trim().toLowerCase());
  if (hosts.every((host) => pushHost.test(host))) return hosts;
  context.addIssue('must be none, or host names such as *.push.example.org, with commas between them');
  return z.NEVER;
});

/** The push services of Chrome, Edge, Firefox and Safari. */
export const pushServices =
  'fcm.googleapis.com,*.push.services.mozilla.com,*.notify.windows.com,*.push.apple.com';
