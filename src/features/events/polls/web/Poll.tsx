import { Check, Share2, Star } from 'lucide-react';
import { useId, useState } from 'react';
import { api } from '#web/api.ts';
import { queries } from '#web/queries.ts';
import { uniqueBy, useMore } from '#web/useMore.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { sentence } from '#web/explain.ts';
import type { Event } from '#features/events/contract.ts';
import { EventTime } from '#features/events/web/EventTime.tsx';
import { timesInWords } from '#features/events/web/TimesInWords.tsx';
import { refreshEvents, showEvent } from '#features/events/web/useEvent.ts';
import { useShare } from '#features/events/web/useShare.ts';
import { fullName, isRunner } from '#features/members/rules.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import type { OpenTime, Vote } from '#features/events/time-contract.ts';
import { whyCannotVote } from '#features/events/polls/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { AfterHydration } from '#web/AfterHydration.tsx';
import { Badge } from '#ui/Badge.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { lazyPart } from '#ui/LazyPart.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { longDate, timeOfDay } from '#wire/format.ts';
import { Section } from '#ui/Section.tsx';
import { ShowMore } from '#ui/ShowMore.tsx';
import { Rich } from '#ui/Rich.tsx';
import { t } from '#features/events/polls/messages.ts';

const choices = ['yes', 'if_needed', 'no'] as const satisfies readonly Vote[];

const DecideButton = lazyPart(() =>
  import('./DecideButton.tsx').then((module) => ({ default: module.DecideButton })),
);
const VoteGrid = lazyPart(() => import('./VoteGrid.tsx').then((module) => ({ default: module.VoteGrid })));

/** Whether the response contains all votes. */
const hasAllVotes = (times: readonly OpenTime[]): boolean =>
  times.every(({ more_voters }) => more_voters === null);

type PollProps = { event: Event; club: ClubOfUser; now: Instant };

/** The times of an event, on which members vote until an admin chooses one. */
export function Poll({ event, club, now }: PollProps) {
  const { times } = event;
  const { votes, choose, save, isChanged } = useVotes(event, now);
  const network = useNeedsNetwork();
  const isOpen = !whyCannotVote(event, now);
  const isInGrid = hasAllVotes(times);
  const hasVoted = times.some(({ my_vote }) => my_vote);
  return (
    <Card asChild>
      <form
        className="mb-6 sm:mb-8"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          network.run(() => save.mutate());
        }}
      >
        <Section title={t('title')}>
          <p className="-mt-2 mb-3 text-sm text-muted">
            {isOpen
              ? t('votingCloses', {
                  date: longDate(event.entry_until_time, now),
                  time: timeOfDay(event.entry_until_time),
                })
              : t('votingClosed')}
          </p>
          {times.every(({ voters }) => voters.length === 0) && (
            <NoVotes event={event} canShare={isRunner(club, event)} />
          )}
          <ul className="divide-y divide-line border-y border-line">
            {times.map((time) => (
              <TimeRow
                key={time.id}
                event={event}
                time={time}
                now={now}
                vote={votes[time.id] ?? null}
                onVote={isOpen && time.start_time > now ? (vote) => choose(time.id, vote) : undefined}
                isPlanner={club.is_planner}
                isInGrid={isInGrid}
              />
            ))}
          </ul>
          {isOpen && (
            <div className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-2">
              <p className="text-sm text-muted max-sm:w-full">{t('leftOpen')}</p>
              <Button
                type="submit"
                busy={save.isPending}
                busyLabel={t('saving')}
                disabled={!isChanged}
                className="max-sm:w-full sm:ml-auto offline:bg-sunken! offline:text-muted!"
              >
                {hasVoted ? t('changeVotes') : t('vote')}
              </Button>
            </div>
          )}
          <p role="status" className="mt-2 text-sm font-semibold text-ok empty:hidden">
            {save.isSuccess && !isChanged && t('saved')}
          </p>
          <InlineError className="mt-2">{network.notice}</InlineError>
          <NotSaved title={t('notSaved')} reason={save.error && sentence(save.error)} />
          {isInGrid && (
            <AfterHydration>
              <VoteGrid times={times} />
            </AfterHydration>
          )}
        </Section>
      </form>
    </Card>
  );
}

/** The viewer's votes as chosen on this page, and the mutation that saves them. */
function useVotes({ id, slug, times }: Event, now: Instant) {
  const [chosen, setChosen] = useState<Record<string, Vote>>({});
  const votes: Record<string, Vote | null> = Object.fromEntries(
    times.map((time) => [time.id, chosen[time.id] ?? time.my_vote]),
  );
  const toCome = times.filter(({ start_time }) => start_time > now);
  const save = useSubmit({
    mutationFn: () =>
      api.polls.vote({
        event: slug,
        votes: toCome.map(({ id: time }) => ({ time, vote: votes[time] ?? 'no' })),
      }),
    onSuccess: (saved) => {
      showEvent({ id, ...saved, has_voted: true });
      setChosen({});
      void refreshEvents();
    },
  });
  return {
    votes,
    choose: (time: string, vote: Vote) => setChosen({ ...chosen, [time]: vote }),
    save,
    isChanged: times.some((time) => votes[time.id] !== time.my_vote),
  };
}

/** Only runners share the link, because everyone in the club is told when a poll begins. */
function NoVotes({ event, canShare }: { event: Event; canShare: boolean }) {
  const share = useShare(event);
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-sunken p-4">
      <div className="min-w-0 grow basis-60">
        <p className="font-semibold">{t('noVotes')}</p>
        {canShare && <p className="text-sm text-muted">{t('noVotesText')}</p>}
      </div>
      {canShare && (
        <Button variant="secondary" onClick={() => void share()}>
          <Share2 aria-hidden />
          {t('share')}
        </Button>
      )}
    </div>
  );
}

type TimeRowProps = {
  event: Event;
  time: OpenTime;
  now: Instant;
  vote: Vote | null;
  /** Undefined while the viewer cannot vote. */
  onVote: ((vote: Vote) => void) | undefined;
  isPlanner: boolean;
  /** Whether wide screens show the names in the grid instead. */
  isInGrid: boolean;
};

function TimeRow({ event, time, now, vote, onVote, isPlanner, isInGrid }: TimeRowProps) {
  const times = { ...time, time_zone: event.time_zone, moved_from: null, deleted_at: null };
  const passed = time.start_time <= now;
  const id = useId();
  return (
    <li className="grid gap-x-6 gap-y-3 py-4 md:grid-cols-[minmax(0,1fr)_auto] md:items-center">
      <div className="min-w-0">
        <div id={id} className={cn(passed && 'text-muted line-through')}>
          <EventTime event={times} now={now} />
        </div>
        <p className="mt-1 flex gap-2 empty:hidden">
          {time.is_best && (
            <Badge tone="ok">
              <Star aria-hidden className="fill-current" />
              {t('best')}
            </Badge>
          )}
          {passed && <Badge>{t('passed')}</Badge>}
        </p>
        {isInGrid && (
          <p className="mt-1 text-sm text-muted max-lg:hidden">
            {choices.map((each) => t(counted[each], { n: time[`${each}_count`] })).join(' · ')}
          </p>
        )}
        <div className={cn(isInGrid && 'lg:hidden')}>
          <Votes event={event} time={time} />
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-3 md:justify-end">
        {!passed && <Choices label={id} vote={vote} onVote={onVote} />}
        {isPlanner && !passed && (
          <AfterHydration>
            <div className="max-md:-ml-3 md:border-l md:border-line md:pl-3">
              <DecideButton event={event} time={time} words={timesInWords(times)} />
            </div>
          </AfterHydration>
        )}
      </div>
    </li>
  );
}

const counted = { yes: 'yesCount', if_needed: 'ifNeededCount', no: 'noCount' } as const;
const named = { yes: 'yesNames', if_needed: 'ifNeededNames', no: 'noNames' } as const;

const count = (text: string) => <span className="font-semibold tabular-nums">{text}</span>;
const rest = (text: string) => <span className="text-muted">{text}</span>;

/** The number of votes of each kind, and the names of voters, starting with those who can come. */
function Votes({ event, time }: Pick<TimeRowProps, 'event' | 'time'>) {
  const { id, voters: first, more_voters: from } = time;
  const more = useMore(from, queries.moreVoters(event.slug, id, from ?? ''));
  const voters = uniqueBy('attendee_id', [...first, ...more.pages.flatMap((page) => page.voters)]);
  return (
    <>
      {choices.map((vote) => {
        const names = voters.filter((voter) => voter.vote === vote).map(fullName);
        const n = time[`${vote}_count`];
        // A voter who changes their vote between two pages appears on both, or on neither.
        const others = Math.max(0, n - names.length);
        return (
          n > 0 && (
            <p key={vote} className="mt-0.5 text-sm wrap-anywhere">
              {names.length > 0 ? (
                <Rich parts={t.parts(named[vote], { count, rest }, { n, names: names.join(', '), others })} />
              ) : (
                count(t(counted[vote], { n }))
              )}
            </p>
          )
        );
      })}
      {more.hasMore && (
        <ShowMore className="mt-2 items-start" busy={more.busy} failed={more.failed} onPress={more.load}>
          {t('showMoreNames')}
        </ShowMore>
      )}
    </>
  );
}

type ChoicesProps = { label: string; vote: Vote | null; onVote: ((vote: Vote) => void) | undefined };

/** A radio group, so that arrow keys choose an option. The chosen option has an icon, not only another colour. */
function Choices({ label, vote, onVote }: ChoicesProps) {
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-labelledby={label}
      className="grid grow grid-cols-3 gap-1.5 md:w-80 md:grow-0"
    >
      {choices.map((each) => (
        <label
          key={each}
          className="relative flex min-h-11 cursor-pointer items-center justify-center gap-1 rounded-md border border-control bg-surface px-2 text-sm font-semibold whitespace-nowrap transition-colors hover:bg-sunken has-checked:border-accent has-checked:bg-accent has-checked:text-accent-ink has-disabled:cursor-default has-disabled:border-line has-disabled:not-has-checked:text-muted has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            checked={vote === each}
            disabled={!onVote}
            onChange={() => onVote?.(each)}
            className="sr-only"
          />
          {vote === each && <Check aria-hidden className="size-4 shrink-0" />}
          <span>{t(each)}</span>
        </label>
      ))}
    </div>
  );
}
