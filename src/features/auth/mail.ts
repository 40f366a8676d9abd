import type { Config } from '#platform/config.ts';
import type { Words } from '#platform/mail.ts';

interface CodeLetter {
  email: string;
  short: string;
  long: string;
  /** A path of this app, already checked. */
  returnTo: string | undefined;
}

/** The letter with a login code. Its link opens a page with a button: mail scanners that follow it use nothing up. */
export function loginLetter(config: Config, { email, short, long, returnTo }: CodeLetter): Words {
  const query = new URLSearchParams({ email, code: long, ...(returnTo ? { rUrl: returnTo } : {}) });
  return {
    subject: `${short} is your ${config.productName} code`,
    preview: `Enter it within 10 minutes to log in to ${config.productName}.`,
    paragraphs: [`Here is your code to log in to ${config.productName}. It works once and for 10 minutes.`],
    code: short,
    action: { label: 'Log in with this link instead', url: `${config.publicUrl}/confirm?${query}` },
    footer: `Someone asked for this code with your e-mail address. If it wasn't you, you can ignore this mail: nobody can log in without the code.`,
  };
}
