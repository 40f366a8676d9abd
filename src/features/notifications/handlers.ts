import type { Config } from '#platform/config.ts';
import { isUuid } from '#platform/db/client.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { idToken, signed, signedParts } from '#platform/token.ts';
import { fail } from '#wire/errors.ts';
import { settingKeys, type notifications, type SettingKey } from '#features/notifications/contract.ts';
import { settingsExcept } from '#features/notifications/rules.ts';
import * as queries from '#features/notifications/queries.ts';
import * as store from '#features/notifications/store.ts';

const nothing = async () => null;

export const handlers: Handlers<typeof notifications> = {
  list: ({ db, user }) => queries.newestOf(db, user.id),

  // The first time stays, so repeating them reads it.
  seen: rereadable(
    nothing,
    async ({ db, user, now }, { id }) =>
      (await store.setTimestamp(db, user.id, { id, as: 'seen_at', now })) ?? fail('not_found'),
  ),

  actioned: rereadable(
    nothing,
    async ({ db, user, now }, { id }) =>
      (await store.setTimestamp(db, user.id, { id, as: 'actioned_at', now })) ?? fail('not_found'),
  ),

  async remove({ db, user }, { id }) {
    if ((await store.remove(db, user.id, id)) === 0) fail('not_found');
    return null;
  },

  async clear({ db, user }) {
    await store.clear(db, user.id);
    return null;
  },

  settings: async ({ db, user }) => settingsExcept(await queries.optedOutKeys(db, user.id)),

  saveSettings: rereadable(
    async ({ db, user }, settings) => {
      const keys = (isOn: boolean) => settingKeys.filter((key) => settings[key] === isOn);
      await store.optIn(db, user.id, keys(true));
      await store.optOut(db, user.id, keys(false));
      return null;
    },
    async ({ db, user }) => settingsExcept(await queries.optedOutKeys(db, user.id)),
  ),

  async unsubscribe({ db, config }, { token }) {
    const { user, key } = readToken(config, token) ?? fail('not_found');
    await store.optOut(db, user, [key]);
    return { key };
  },
};

/** The token of the unsubscribe link in an email. It works without a login and never expires. */
export const unsubscribeToken = (config: Config, user: string, key: SettingKey): string =>
  signed(config.secretKey, 'unsubscribe', user, key);

/** The member, the event and the secret of the membership that an answer link depends on. */
interface AnswerLink {
  user_id: string;
  event_id: string;
  answer_key: string;
}

/** The token of the answer links in emails. It is stored nowhere. */
export const answerToken = ({ secretKey }: Config, { user_id, event_id, answer_key }: AnswerLink): string =>
  idToken(secretKey, 'answer', [user_id, event_id], answer_key);

function readToken(config: Config, token: string): { user: string; key: SettingKey } | undefined {
  const [user = '', name] = signedParts(config.secretKey, 'unsubscribe', token) ?? [];
  const key = settingKeys.find((known) => known === name);
  return key && isUuid(user) ? { user, key } : undefined;
}
