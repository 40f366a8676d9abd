import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { ListActions } from '#web/ListActions.tsx';
import type { PrintedGroup } from '#web/printed-list.tsx';
import { NextPage } from '#web/NextPage.tsx';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { useBack } from '#web/useBack.ts';
import { allPages, uniqueById } from '#web/useMore.ts';
import { useNow } from '#web/useNow.ts';
import { useTitle } from '#web/useTitle.ts';
import type { AnswerList } from '#features/events/answers/contract.ts';
import { reachOf } from '#features/events/answers/form-rules.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';
import { NotAllowed } from '#features/events/web/NotAllowed.tsx';
import { useEvent } from '#features/events/web/useEvent.ts';
import { bySection, fullName, isRunner } from '#features/members/rules.ts';
import { SectionFilter } from '#features/members/web/SectionFilter.tsx';
import { nudgedLists } from '#features/notifications/contract.ts';
import { fullDateAndTime } from '#wire/format.ts';
import { Card } from '#ui/Card.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { AnswerCounts, listNames } from './AnswerCounts.tsx';
import { AnswerRow } from './AnswerRow.tsx';
import { SectionCounts } from './SectionCounts.tsx';
import { NudgeButtons } from './NudgeButtons.tsx';
import { useLastVisit } from './useLastVisit.ts';
import { t as ofLists } from '#features/events/answers/list-messages.ts';
import { t } from '#features/events/answers/messages.ts';

const emptyTexts = (): Record<AnswerList, string> => ({
  going: t('nobodyGoing'),
  waiting: t('nobodyWaiting'),
  maybe: t('nobodyMaybe'),
  no: t('nobodyNo'),
  silent: t('everybodyAnswered'),
  unconfirmed: t('everybodyConfirmed'),
  unreached: ofLists('everybodyReached'),
});

const isList = (name: string | null): name is AnswerList => name !== null && name in listNames();

/** The answers to an event, with notes, for the host and the admins of its club. */
export default function AnswersPage() {
  const { event, club } = useEvent();
  const [search] = useSearchParams();
  const back = useBack(`/app/events/${event.slug}`);
  const list = search.get('list');
  const current = isList(list) ? list : 'going';
  const [section, setSection] = useState<string>();
  useTitle(t('answersTo', { event: event.name }));
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title={t('answers')}
        text={<span className="wrap-anywhere">{event.name}</span>}
        back={<BackButton onClick={back} />}
      />
      {club && isRunner(club, event) ? (
        <div className="flex flex-col gap-4">
          <AnswerCounts event={event} current={current} />
          <SectionCounts event={event} />
          <SectionFilter sections={event.section_counts} value={section} onChange={setSection} />
          <Replies event={event} />
          {(current === 'unconfirmed' || current === 'unreached') && (
            <h2 className="text-xl font-bold">{listNames()[current]}</h2>
          )}
          <Nudge event={event} list={current} section={section} />
          <ListActions
            title={`${listNames()[current]}: ${event.name}`}
            text={[fullDateAndTime(event.start_time, event.time_zone), sumsInWords(event)]
              .filter(Boolean)
              .join(' · ')}
            readAll={() => everyAnswer(event, current)}
            download={() => api.answers.export({ event: event.slug })}
          />
          <Answers key={`${current} ${section}`} event={event} list={current} section={section} />
        </div>
      ) : (
        <NotAllowed title={t('onlyHosts')} text={t('onlyHostsText')} club={club?.slug} />
      )}
    </div>
  );
}

type AnswersProps = {
  event: Event;
  list: AnswerList;
  /** The id of the section to which the list is limited. */
  section: string | undefined;
};

/** The button that asks the members on this list for their answers. Absent when a nudge would reach nobody. */
function Nudge({ event, list, section }: AnswersProps) {
  const now = useNow();
  const lists = nudgedLists.filter((each) => each === list && reachOf(event)[each] > 0);
  const canNudge = !isCancelled(event) && !hasEnded(event, now) && !event.polling;
  return (
    canNudge && lists.length > 0 && <NudgeButtons event={event} lists={lists} section={section} now={now} />
  );
}

/** How many members gave each reply to the question of the event. */
function Replies({ event }: { event: Event }) {
  if (!event.reply_counts) return null;
  return (
    <section>
      <h2 className="font-semibold wrap-anywhere">{event.question}</h2>
      <p className="text-muted tabular-nums wrap-anywhere">{sumsOf(event)}</p>
    </section>
  );
}

const sumsInWords = (event: Event) => event.reply_counts && `${event.question} ${sumsOf(event)}`;

function sumsOf({ choices, reply_counts }: Event): string {
  const label = (reply: string | null) =>
    reply === '' ? ofLists('noReply') : (reply ?? ofLists(choices.length > 0 ? 'otherReply' : 'replies'));
  const sums = (reply_counts ?? []).map(({ reply, n }) => ofLists('replyCount', { reply: label(reply), n }));
  return sums.join(' · ');
}

/** All people on a list, by section. */
async function everyAnswer({ slug, owner_club_id: club }: Event, state: AnswerList): Promise<PrintedGroup[]> {
  const [sections, pages] = await Promise.all([
    api.sections.ofClub({ club }),
    allPages((after) => api.answers.list({ event: slug, state, after })),
  ]);
  const members = uniqueById(pages.flatMap(({ answers }) => answers));
  return bySection(members, sections).map(({ people, ...group }) => ({
    ...group,
    rows: people.map((member) => {
      const guests = member.guests > 0 ? `+${member.guests}` : '';
      const details = [guests, member.reply, member.note].filter(Boolean).join(' · ');
      return { id: member.id, name: fullName(member), details };
    }),
  }));
}

const answersIn = (slug: string, list: AnswerList, section: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['answers', slug, list, ...(section ? [section] : [])],
    queryFn: ({ pageParam }) => api.answers.list({ event: slug, state: list, section, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ more }) => more,
  });

function Answers({ event, list, section }: AnswersProps) {
  const now = useNow();
  const query = useInfiniteQuery(answersIn(event.slug, list, section));
  const lastVisit = useLastVisit(event.id);
  const { data, error } = query;
  const rows = uniqueById(data?.pages.flatMap(({ answers }) => answers) ?? []);
  const canAnswer = !isCancelled(event) && !hasEnded(event, now);
  if (!data && error)
    return (
      <NotLoaded title={t('answersNotLoaded')} retry={() => void query.refetch()}>
        {explain(error)}
      </NotLoaded>
    );
  if (!data)
    return (
      <Card aria-busy>
        <SkeletonText lines={6} />
      </Card>
    );
  if (rows.length === 0)
    return (
      <EmptyState
        icon={list === 'silent' || list === 'unconfirmed' || list === 'unreached' ? 'boat' : 'tent'}
        title={section ? t('nobodyOfSection') : emptyTexts()[list]}
      />
    );
  return (
    <>
      {canAnswer && <p className="text-sm text-muted">{t('theyAreTold')}</p>}
      <Card asChild flush>
        <ul aria-label={listNames()[list]} className="divide-y divide-line">
          {rows.map((row, at) => (
            <AnswerRow
              key={row.id}
              event={event}
              member={row}
              previous={rows[at - 1]?.id}
              list={list}
              canAnswer={canAnswer}
              lastVisit={lastVisit}
              now={now}
            />
          ))}
        </ul>
      </Card>
      <NextPage query={query}>{t('showMore')}</NextPage>
    </>
  );
}
