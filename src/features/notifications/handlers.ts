import type { Config } from '#platform/config.ts';
import { isUuid } from '#platform/db/client.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { clearNotices, markNotice, newestNotices, removeNotice } from '#platform/notices/bell.ts';
import { newsEmails, saveSettings, settingKeys, settingsOf } from '#platform/notices/settings.ts';
import { weeklyEmail } from '#platform/notices/weekly.ts';
import { signed, signedParts } from '#platform/token.ts';
import { fail } from '#wire/errors.ts';
import type { notifications } from '#features/notifications/contract.ts';

const nothing = async () => null;

export const handlers: Handlers<typeof notifications> = {
  list: ({ db, user }) => newestNotices(db, user.id),

  // Only the first request sets the time, so a repeated request just reads it.
  seen: rereadable(
    nothing,
    async ({ db, user, now }, { id }) =>
      (await markNotice(db, user.id, { id, as: 'seen_at', now })) ?? fail('not_found'),
  ),

  actioned: rereadable(
    nothing,
    async ({ db, user, now }, { id }) =>
      (await markNotice(db, user.id, { id, as: 'actioned_at', now })) ?? fail('not_found'),
  ),

  async remove({ db, user, now }, { id }) {
    if ((await removeNotice(db, user.id, id, now)) === 0) fail('not_found');
    return null;
  },

  async clear({ db, user, now }) {
    await clearNotices(db, user.id, now);
    return null;
  },

  settings: ({ db, user }) => settingsOf(db, user.id),

  saveSettings: rereadable(
    async ({ db, user, now }, settings) => {
      await saveSettings(db, user.id, settings, now);
      return null;
    },
    ({ db, user }) => settingsOf(db, user.id),
  ),

  async unsubscribe({ db, config, now }, { token }) {
    const { user, key } = readToken(config, token) ?? fail('not_found');
    const keys = key === weeklyEmail ? newsEmails() : [key];
    await saveSettings(db, user, Object.fromEntries(keys.map((each) => [each, false])), now);
    return { key };
  },
};

/** The token of the unsubscribe link in an email. It works without a login and never expires. */
export const unsubscribeToken = (config: Config, user: string, key: string): string =>
  signed(config.secretKey, 'unsubscribe', user, key);

function readToken(config: Config, token: string): { user: string; key: string } | undefined {
  const [user = '', name] = signedParts(config.secretKey, 'unsubscribe', token) ?? [];
  const key = settingKeys().find((setting) => setting === name);
  return key && isUuid(user) ? { user, key } : undefined;
}
