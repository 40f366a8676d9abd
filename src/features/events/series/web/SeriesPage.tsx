import { useSuspenseQuery } from '@tanstack/react-query';
import { CalendarX2 } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useParams } from 'react-router';
import { queries } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useNow } from '#web/useNow.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import { EventList } from '#features/events/answers/web/EventList.tsx';
import { fullName, role } from '#features/members/rules.ts';
import type { Series } from '#features/events/series/contract.ts';
import { hasLaterDates } from '#features/events/series/rules.ts';
import { Banner } from '#ui/Banner.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { Section } from '#ui/Section.tsx';
import { EndSeries } from './EndSeries.tsx';
import { SeriesInWords } from './SeriesInWords.tsx';
import { StandingAnswer } from './StandingAnswer.tsx';
import { breakInWords } from '#features/events/series/repeat-rules.ts';
import { t } from '#features/events/series/messages.ts';

/** A series with its rule in words, its coming dates and the viewer's answers. */
export default function SeriesPage() {
  const { slug = '' } = useParams();
  const series = useSuspenseQuery(queries.series(slug)).data;
  const back = useBack(`/app/clubs/${series.club_slug}`);
  useTitle(series.name);
  return (
    <article className="mx-auto max-w-3xl">
      <PageHeader
        title={<span className="wrap-anywhere">{series.name}</span>}
        text={<Head series={series} />}
        back={<BackButton onClick={back} />}
        actions={series.is_host && series.ended_at === null && <EndSeries series={series} />}
      />
      <div className="flex flex-col gap-6">
        {series.ended_at === null ? (
          <StandingAnswer series={series} />
        ) : (
          <Banner title={t('hasEnded')}>{t('hasEndedText')}</Banner>
        )}
        <Dates series={series} />
      </div>
    </article>
  );
}

function Head({ series }: { series: Series }) {
  const { club_slug, club_name, host } = series;
  const name = host && fullName({ first_name: host.host_first_name, last_name: host.host_last_name });
  return (
    <span className="wrap-anywhere">
      <span className="font-semibold text-ink">
        <SeriesInWords of={series} />
      </span>
      {' · '}
      <Link to={`/app/clubs/${club_slug}`} className="underline underline-offset-4 hover:text-ink">
        {club_name}
      </Link>
      {name && <span>{` · ${t('hostedBy', { name })}`}</span>}
    </span>
  );
}

function Dates({ series }: { series: Series }) {
  const { events, breaks, ended_at, club_id, club_slug } = series;
  const isAdmin = useUser().clubs.some(({ id, club_role }) => id === club_id && club_role === role.admin);
  const now = useNow();
  // Without `series`, the list shows a row for each date instead of one row for the series.
  const rows = useMemo(() => events.map((event) => ({ ...event, series: null })), [events]);
  return (
    <Section title={t('comingDates')} count={events.length}>
      <div className="flex flex-col gap-4">
        {breaks.map((each) => (
          <p key={each.first_on} className="flex items-center gap-2 text-sm text-muted">
            <CalendarX2 aria-hidden className="size-4.5 shrink-0" />
            <span className="wrap-anywhere">{breakInWords(each)}</span>
          </p>
        ))}
        {isAdmin && ended_at === null && (
          <p className="text-sm offline:hidden">
            <Link
              to={`/app/clubs/${club_slug}/breaks`}
              className="inline-flex min-h-11 items-center underline underline-offset-4"
            >
              {t('breaksLink')}
            </Link>
          </p>
        )}
        {events.length > 0 ? (
          <div>
            <EventList events={rows} now={now} />
            {ended_at === null && hasLaterDates(series, breaks, now) && (
              <p className="mt-3 px-1 text-sm text-muted">{t('laterDates')}</p>
            )}
          </div>
        ) : (
          <EmptyState
            icon="signpost"
            title={t('noDates')}
            {...(ended_at === null ? {} : { text: t('hasEndedText') })}
          />
        )}
      </div>
    </Section>
  );
}
