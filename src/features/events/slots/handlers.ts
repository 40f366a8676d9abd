import { randomUUID } from 'node:crypto';
import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { enqueue } from '#platform/jobs/queue.ts';
import { fail, failIf } from '#wire/errors.ts';
import { eventInClub, lockEvent, readingEvent, type LockedEvent } from '#features/events/access.ts';
import { isRunner } from '#features/members/rules.ts';
import type { Slot, slots } from '#features/events/slots/contract.ts';
import { placesFor, whyCannotAdd, whyIsListClosed } from '#features/events/slots/rules.ts';
import * as store from '#features/events/slots/store.ts';

export const handlers: Handlers<typeof slots> = {
  list: async (context, { event }) => ({
    slots: await store.slotsOf(context.db, await readingEvent(context.db, context, event)),
  }),

  create: rereadable(async (context, { event: ref, kind, title, places }) => {
    const { db, user, now } = context;
    const event = await lockEvent(db, context, ref);
    const list = await store.slotsOf(db, event);
    const isRunnerOfEvent = isRunner(event, event);
    failIf(whyCannotAdd(event, { kind, slots: list, user: user.id, isRunner: isRunnerOfEvent }, now));
    await store.addSlot(db, event, { kind, title, places, by: user.id }, now);
    return { event: event.id };
  }, listOf),

  remove: rereadable(async (context, { slot: id }) => {
    const { db, user, now } = context;
    const { event, slot } = await lockSlot(context, id);
    if (!isRunner(event, event) && slot.by?.id !== user.id) fail('not_runner');
    failIf(whyIsListClosed(event, now));
    await store.removeSlot(db, event, id);
    const to = slot.claims.map((claim) => claim.id);
    if (slot.kind === 'lift')
      await enqueueLiftChange(context, event, { title: slot.title, change: 'gone', to });
    return { event: event.id };
  }, listOf),

  claim: rereadable(async (context, { slot: id, places }) => {
    const { db, user, now } = context;
    const { event, slot } = await lockSlot(context, id);
    failIf(whyIsListClosed(event, now));
    if (places > placesFor(user.id, slot)) fail('slot_full');
    await store.saveClaim(db, { id, user: user.id, places });
    const isClaimed = slot.claims.some((claim) => claim.id === user.id);
    if (slot.kind === 'lift' && slot.by && isClaimed !== places > 0)
      await enqueueLiftChange(context, event, {
        title: slot.title,
        change: isClaimed ? 'released' : 'claimed',
        to: [slot.by.id],
      });
    return { event: event.id };
  }, listOf),
};

async function listOf(context: Context<'user'>, _input: unknown, { event }: { event: string }) {
  return { slots: await store.slotsOf(context.db, await eventInClub(context.db, context, event)) };
}

/** Locks the event of a slot, and then reads the slot. */
async function lockSlot(context: Context<'user'>, id: string): Promise<{ event: LockedEvent; slot: Slot }> {
  const { db } = context;
  const event = await lockEvent(db, context, (await store.eventOf(db, id)) ?? fail('not_found'));
  const slot = (await store.slotsOf(db, event)).find((each) => each.id === id);
  return { event, slot: slot ?? fail('not_found') };
}

/**
 * The payload of the job that notifies members about a lift. `cause` becomes the deduplication key, so that nobody gets
 * two notices.
 */
export interface LiftChange {
  title: string;
  change: 'claimed' | 'released' | 'gone';
  cause: string;
  event: string;
  actor: string;
  to: string[];
}

async function enqueueLiftChange(
  { db, user }: Context<'user'>,
  event: LockedEvent,
  lift: Pick<LiftChange, 'title' | 'change' | 'to'>,
): Promise<void> {
  if (lift.to.length === 0) return;
  const payload: LiftChange = { cause: randomUUID(), event: event.id, actor: user.id, ...lift };
  await enqueue(db, 'tell_about_lift', payload);
}
