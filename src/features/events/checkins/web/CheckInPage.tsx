import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useEffect, useState } from 'react';
import { api } from '#web/api.ts';
import { explain, sentence } from '#web/explain.ts';
import { useBack } from '#web/useBack.ts';
import { useDebouncedValue } from '#web/useDebouncedValue.ts';
import { uniqueById } from '#web/useMore.ts';
import { useNow } from '#web/useNow.ts';
import { useOnline } from '#web/useOnline.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import type { Expected } from '#features/events/checkins/contract.ts';
import { whyCannotCheckIn } from '#features/events/checkins/rules.ts';
import type { Event } from '#features/events/contract.ts';
import { NotAllowed } from '#features/events/web/NotAllowed.tsx';
import { useEvent } from '#features/events/web/useEvent.ts';
import { sourceSet } from '#wire/pictures.ts';
import { searchText, searchWords } from '#wire/search-text.ts';
import { fullName, isRunner, ownName } from '#features/members/rules.ts';
import { CallButton } from '#features/members/web/CallButton.tsx';
import { Avatar } from '#ui/Avatar.tsx';
import { Badge } from '#ui/Badge.tsx';
import { Banner, NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { Field } from '#ui/Field.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { listKey, useCheckIns } from './useCheckIns.ts';
import { t } from '#features/events/checkins/messages.ts';

/** The page on which hosts check people in. */
export default function CheckInPage() {
  const { event, club } = useEvent();
  const now = useNow();
  const back = useBack(`/app/events/${event.slug}`);
  useTitle(t('checkInFor', { event: event.name }));
  const isAllowed = club && isRunner(club, event);
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title={t('checkIn')}
        text={<span className="wrap-anywhere">{event.name}</span>}
        back={<BackButton onClick={back} />}
        className="mb-4"
      />
      {!isAllowed ? (
        <NotAllowed title={t('onlyHosts')} text={t('onlyHostsText')} club={club?.slug} />
      ) : whyCannotCheckIn(event, now) ? (
        <EmptyState icon="tent" title={t('notOpen')} text={t('notOpenText')} />
      ) : (
        <CheckIn event={event} hasBegun={event.start_time <= now} />
      )}
    </div>
  );
}

const peopleOf = (event: Event, q: string) =>
  infiniteQueryOptions({
    queryKey: [...listKey(event), ...(q ? [q] : [])],
    queryFn: ({ pageParam }) => api.checkins.list({ event: event.id, q, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ more }) => more,
  });

/** Loads all pages of the people who are going or checked in, so that the list works offline. */
function useExpected(event: Event) {
  const query = useInfiniteQuery(peopleOf(event, ''));
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return { ...query, people: data && uniqueById(data.pages.flatMap(({ people }) => people)) };
}

/**
 * The members whose names contain all typed words. People on the list are found at once, other members of the club once
 * the server has responded.
 */
function useFound(event: Event, typed: string, expected: readonly Expected[]) {
  const q = useDebouncedValue(typed);
  const { data, isFetching } = useInfiniteQuery({
    ...peopleOf(event, q),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  const words = searchWords(typed);
  const matches = (each: Expected) => words.every((word) => searchText(fullName(each)).includes(word));
  const others = data?.pages.flatMap(({ people }) => people) ?? [];
  return {
    found: typed === '' ? [...expected] : uniqueById([...expected, ...others]).filter(matches),
    searching: typed !== q || isFetching,
  };
}

function CheckIn({ event, hasBegun }: { event: Event; hasBegun: boolean }) {
  const [typed, setTyped] = useState('');
  const online = useOnline();
  const { people, error, refetch } = useExpected(event);
  const { taps, failure, mark } = useCheckIns(event);
  const { found, searching } = useFound(event, typed.trim(), people ?? []);
  const unsent = Object.keys(taps).length;
  const unsentTaps = unsent > 0 && !online && (
    <Banner title={t('unsent', { n: unsent })}>{t('unsentText')}</Banner>
  );
  if (!people)
    return error ? (
      <div className="flex flex-col gap-4">
        {unsentTaps}
        <NotLoaded title={t('peopleNotLoaded')} retry={() => void refetch()}>
          {explain(error)}
        </NotLoaded>
      </div>
    ) : (
      <Card aria-busy>
        <SkeletonText lines={6} />
      </Card>
    );
  const cameOf = ({ id, came }: Expected) => (taps[id] === undefined ? came : taps[id]);
  const here = people.filter((each) => cameOf(each)).length;
  const unmarked = people.filter((each) => cameOf(each) === null).map(({ id }) => id);
  return (
    <div className="flex flex-col gap-4">
      <div className="sticky top-16 z-10 -mx-4 flex flex-wrap items-end justify-between gap-3 bg-bg px-4 py-2">
        <p role="status" className="text-xl font-bold tabular-nums">
          {t('here', { n: here, all: people.length })}
        </p>
        <Field label={t('find')} className="w-full sm:max-w-72">
          <TextInput
            value={typed}
            maxLength={100}
            placeholder={t('name')}
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value)}
          />
        </Field>
      </div>
      {unsentTaps}
      <NotSaved title={t('notSaved')} reason={failure ? sentence(failure) : null} advice="" />
      {found.length > 0 ? (
        <Card asChild flush>
          <ul aria-label={t('people')} className="divide-y divide-line">
            {found.map((person, at) => (
              <Row
                key={person.id}
                person={person}
                previous={found[at - 1]?.id}
                came={cameOf(person)}
                onPress={() => mark([person.id], cameOf(person) ? null : true)}
                club={event.owner_club_id}
              />
            ))}
          </ul>
        </Card>
      ) : searching && online ? (
        <Card aria-busy>
          <SkeletonText lines={2} />
        </Card>
      ) : typed.trim() ? (
        <EmptyState
          icon="lighthouse"
          title={t('nobodyFound')}
          text={online ? t('nobodyFoundText', { q: typed.trim() }) : t('nobodyFoundOffline')}
        />
      ) : (
        <EmptyState icon="tent" title={t('nobodyGoing')} text={t('nobodyGoingText')} />
      )}
      {hasBegun && !typed && here > 0 && unmarked.length > 0 && (
        <div className="flex flex-col items-start gap-1">
          <Button variant="secondary" onClick={() => mark(unmarked, false)}>
            {t('markOthers', { n: unmarked.length })}
          </Button>
          <p className="text-sm text-muted">{t('markOthersHint')}</p>
        </div>
      )}
    </div>
  );
}

type RowProps = {
  person: Expected;
  /** The id of the person in the row above. */
  previous: string | undefined;
  came: boolean | null;
  onPress: () => void;
  /** The id of the club. */
  club: string;
};

/** A tap checks a person in, and a second tap undoes it. */
function Row({ person, previous, came, onPress, club }: RowProps) {
  const name = fullName(person);
  const me = useUser().id;
  return (
    <li className="flex flex-wrap items-center justify-end">
      <button
        type="button"
        aria-pressed={came === true}
        onClick={onPress}
        className="flex min-h-16 flex-1 basis-[14em] items-center gap-3 px-4 py-2.5 text-left transition-colors hover:bg-sunken focus-visible:-outline-offset-2 aria-pressed:bg-ok-soft"
      >
        <Avatar
          name={ownName(person)}
          seed={person.id}
          previous={previous}
          src={person.profile_picture_url}
          srcSet={sourceSet(person.profile_picture_url, 'person')}
          size="md"
        />
        <span className="flex min-w-0 grow flex-wrap items-center gap-x-2 gap-y-1 leading-tight">
          <span className="font-semibold wrap-anywhere">
            {name}
            {person.id === me && <span className="font-normal text-muted"> {t('you')}</span>}
          </span>
          {person.answer === 'going' && person.guests > 0 && (
            <Badge>
              <span aria-hidden>+{person.guests}</span>
              <span className="sr-only">{t('plusGuests', { n: person.guests })}</span>
            </Badge>
          )}
          {person.answer !== 'going' && <Badge tone="quiet">{t('notGoing')}</Badge>}
        </span>
        {came === false && <Badge tone="warn">{t('notHere')}</Badge>}
        <span
          className={
            came
              ? 'inline-flex shrink-0 items-center gap-1 font-semibold text-ok'
              : 'size-6 shrink-0 rounded-full border-2 border-control'
          }
        >
          {came && (
            <>
              <Check aria-hidden className="size-6" />
              <span aria-hidden>{t('isHere')}</span>
            </>
          )}
        </span>
      </button>
      {person.can_call && <CallButton club={club} member={person} />}
    </li>
  );
}
