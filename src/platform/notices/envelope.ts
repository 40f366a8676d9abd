import type { Config } from '#platform/config.ts';
import type { Clock, Db } from '#platform/db/client.ts';
import type { Log } from '#platform/log.ts';
import type { Mailer } from '#platform/mail/mailer.ts';
import type { Brand, EmailContent } from '#platform/mail/message.ts';
import { t } from '#platform/notices/messages.ts';
import type { Sender } from '#platform/notices/notice.ts';

/** What the emails of notices need. */
export interface EmailDependencies {
  config: Config;
  clock: Clock;
  mailer: Pick<Mailer, 'send'>;
  /** The initials and the colours of a sender. */
  identityOf(sender: Sender): Pick<Brand, 'initials' | 'light' | 'dark'>;
  /** The ids of the senders that a user has muted. */
  mutedBy(db: Db, user: string): Promise<readonly string[]>;
  /** The token of the links that switch off the emails of one kind. */
  unsubscribeToken(config: Config, user: string, key: string): string;
  log: Log;
}

/** A sender as the head of an email shows it. */
export const brandOf = (
  { productName, publicUrl, mailFrom }: Config,
  { name, picture }: Sender,
  identity: ReturnType<EmailDependencies['identityOf']>,
): Brand => ({
  ...identity,
  name,
  sender: t('sender', { name, product: mailFrom.name || productName }),
  ...(picture && { picture: `${publicUrl}${picture}` }),
});

export const withUnsubscribe = (
  { publicUrl }: Config,
  content: Omit<EmailContent, 'unsubscribe'>,
  token: string | undefined,
  label = t('unsubscribe'),
): EmailContent =>
  token
    ? {
        ...content,
        unsubscribe: {
          label,
          url: `${publicUrl}/unsubscribe?${new URLSearchParams({ token })}`,
        },
      }
    : content;

/** RFC 8058: the email client posts to this URL itself. */
export const oneClick = ({ publicUrl }: Config, token: string) => ({
  'List-Unsubscribe': `<${publicUrl}/api/v1/notification-settings/unsubscribe/${token}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});
