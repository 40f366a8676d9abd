import type { Clock, Db } from '#platform/db/client.ts';
import type { Log } from '#platform/log.ts';
import type { Mailer } from '#platform/mail/mailer.ts';
import { codesOf, DeliveryError } from '#platform/mail/smtp.ts';
import { settle, type Outcome } from '#platform/notices/deliveries.ts';

type Sender = Pick<Mailer, 'send'>;

interface Dependencies {
  db: Db;
  clock: Clock;
  log: Log;
}

/** A mailer that notes the outcome of each email by its id. */
export const notingOutcomes = (mailer: Sender, dependencies: Dependencies): Sender => ({
  async send(mail, delivery) {
    const note = (outcome: Outcome) => noteOutcome(dependencies, mail, outcome);
    const reply = await mailer.send(mail, delivery).catch(async (error: unknown) => {
      const outcome = outcomeOf(error);
      if (outcome) await note(outcome);
      throw error;
    });
    await note({ state: 'accepted', code: codesOf(reply) });
    return reply;
  },
});

/** Undefined if the email will be tried again. */
function outcomeOf(error: unknown): Outcome | undefined {
  if (!(error instanceof DeliveryError) || error.outcome === 'retry') return undefined;
  const { code, isUnknownAddress } = error;
  return error.outcome === 'unknown' ? { state: 'failed' } : { state: 'refused', code, isUnknownAddress };
}

/** Never fails, because the caller would send the email again. */
async function noteOutcome(
  { db, clock, log }: Dependencies,
  mail: Parameters<Sender['send']>[0],
  outcome: Outcome,
): Promise<void> {
  try {
    await settle(db, mail, outcome, await clock(db));
  } catch (error) {
    log.warn({ email: mail.id, message: (error as Error).message }, 'the outcome was not noted');
  }
}
