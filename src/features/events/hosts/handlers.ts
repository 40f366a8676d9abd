import type { z } from 'zod';
import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { raise } from '#platform/notices/raise.ts';
import { fail, failIf } from '#wire/errors.ts';
import {
  asHostsEditor,
  asRemoverOf,
  eventInClub,
  eventOfMember,
  type HostsEditorOf,
} from '#features/events/access.ts';
import * as answers from '#features/events/answers/store.ts';
import { whyCannotChangeHosts } from '#features/events/form-rules.ts';
import type { hosts } from '#features/events/hosts/contract.ts';
import { hostChanged } from '#features/events/hosts/notices.ts';
import * as queries from '#features/events/hosts/queries.ts';
import { recordChangeOfHost } from '#features/events/store.ts';
import { membersAmong } from '#features/members/queries.ts';

export const handlers: Handlers<typeof hosts> = {
  /** Handing over to the current first host changes nothing. */
  async handOver(context, { event: ref, user_id: next }) {
    const { db, user, now } = context;
    const editor = await asHostsEditor(db, context, ref);
    failIf(whyCannotChangeHosts(editor, now));
    const nextHost = await eventOfMember(db, editor, next);
    if (nextHost.my_host_no !== 1) {
      const former = await answers.handOver(db, editor, next, now);
      if (nextHost.my_answer !== 'going') await answers.recordAnswers(db, next, [editor.id], now);
      const notify = await recordChange(context, editor, { kind: 'host', host: next });
      if (nextHost.my_host_no === null) await notify(next, 'you');
      if (former) await notify(former, next === user.id ? 'actor' : 'other');
    }
    return queries.hostOf(db, user.id, editor.id);
  },

  add: rereadable(async (context, { event: ref, user: member }) => {
    const { db, now } = context;
    const editor = await asHostsEditor(db, context, ref);
    failIf(whyCannotChangeHosts(editor, now));
    const { my_host_no, my_answer } = await eventOfMember(db, editor, member);
    if (my_host_no === null) {
      const number = (await queries.freeNumber(db, editor)) ?? fail('too_many_hosts');
      await answers.addHost(db, editor, member, number, now);
      if (my_answer !== 'going') await answers.recordAnswers(db, member, [editor.id], now);
      const notify = await recordChange(context, editor, { kind: 'host_added', host: member });
      await notify(member, 'you');
    }
    return null;
  }, hostsOf),

  remove: rereadable(async (context, { event: ref, user: member }) => {
    const { db, now } = context;
    const editor = await asRemoverOf(db, context, ref, member);
    failIf(whyCannotChangeHosts(editor, now));
    const { my_host_no } = await eventOfMember(db, editor, member);
    if (my_host_no !== null) {
      await answers.removeHost(db, editor, member);
      const notify = await recordChange(context, editor, { kind: 'host_removed', host: member });
      await notify(member, 'removed');
    }
    return null;
  }, hostsOf),
};

/** The hosts of an event, which its members see. */
async function hostsOf(context: Context<'user'>, { event }: { event: string }) {
  const { id } = await eventInClub(context.db, context, event);
  return { hosts: await queries.hostsOf(context.db, id) };
}

/** What happened to a member, for the notice about it. */
type ChangeOfHost = z.infer<typeof hostChanged.facts>['host'];

/**
 * Counts a change of hosts and writes it into the history. Returns a function that notifies a member who became a host,
 * or who is no host any more.
 */
async function recordChange(
  { db, user, now }: Pick<Context<'user'>, 'db' | 'user' | 'now'>,
  { id, owner_club_id, version }: HostsEditorOf,
  change: Pick<Parameters<typeof recordChangeOfHost>[2], 'kind' | 'host'>,
) {
  await limit(db, `hosts:${id}`, { max: 30, seconds: 60 * 60, now });
  const dedupeKey = await recordChangeOfHost(db, { id, version }, { ...change, actor: user.id }, now);
  return (member: string, host: ChangeOfHost) => {
    const facts = { event_id: id, host, before: { hosts: host !== 'you' } };
    return raise(
      db,
      hostChanged,
      { facts, actor: user.id, dedupeKey, now },
      membersAmong(owner_club_id, [member]),
    );
  };
}
