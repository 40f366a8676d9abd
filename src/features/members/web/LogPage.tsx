import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import {
  Download,
  Flag,
  Handshake,
  Link2,
  Link2Off,
  type LucideIcon,
  Settings2,
  UserMinus,
  UserRoundCog,
  UsersRound,
} from 'lucide-react';
import { useParams } from 'react-router';
import { explain } from '#web/explain.ts';
import { queries } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { uniqueById } from '#web/useMore.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import type { ClubSetting, LogEntry, PersonInLog, SectionChange } from '#features/members/log-contract.ts';
import { fullName, isAdminIn } from '#features/members/rules.ts';
import type { ClubRole } from '#features/users/contract.ts';
import { dayKey, dayMonthYear, timeOfDay } from '#wire/format.ts';
import { groupBy } from '#wire/group-by.ts';
import { listOf } from '#wire/messages.ts';
import { Card } from '#ui/Card.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { ShowMore } from '#ui/ShowMore.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { AdminsOnly } from './AdminsOnly.tsx';
import { t } from '#features/members/log-messages.ts';
import { t as ofMembers } from '#features/members/messages.ts';

/** What the admins of a club changed. */
export default function LogPage() {
  const { slug = '' } = useParams();
  const { data: club } = useSuspenseQuery(queries.club(slug));
  const isAdmin = isAdminIn(club, useUser().id);
  const back = useBack(`/app/clubs/${slug}`);
  useTitle(ofMembers('log'));
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title={ofMembers('log')}
        text={isAdmin && t('logText')}
        back={<BackButton onClick={back} />}
      />
      {isAdmin ? <Entries club={slug} /> : <AdminsOnly club={slug} />}
    </div>
  );
}

function Entries({ club }: { club: string }) {
  const query = useInfiniteQuery(queries.log(club));
  const { data, error, isFetching, refetch } = query;
  if (!data)
    return error ? (
      <NotLoaded title={t('logNotLoaded')} busy={isFetching} retry={() => void refetch()}>
        {explain(error)}
      </NotLoaded>
    ) : (
      <Card aria-busy>
        <SkeletonText lines={6} />
      </Card>
    );
  const entries = uniqueById(data.pages.flatMap((page) => page.entries));
  if (entries.length === 0) return <EmptyState icon="lighthouse" title={t('nothingToShow')} />;
  return (
    <div className="flex flex-col gap-6">
      {[...groupBy(entries, ({ at }) => dayKey(at))].map(([day, ofDay]) => (
        <section key={day} aria-labelledby={day}>
          <h2 id={day} className="mb-2 text-sm font-semibold text-muted">
            <time dateTime={day}>{dayMonthYear(ofDay[0]?.at ?? day)}</time>
          </h2>
          <Card asChild flush>
            <ul className="divide-y divide-line">
              {ofDay.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </ul>
          </Card>
        </section>
      ))}
      {query.hasNextPage && (
        <ShowMore
          busy={query.isFetchingNextPage}
          failed={query.isFetchNextPageError}
          onPress={() => void query.fetchNextPage()}
        >
          {t('showMoreEntries')}
        </ShowMore>
      )}
    </div>
  );
}

const icons: Record<LogEntry['kind'], LucideIcon> = {
  founded: Flag,
  role: UserRoundCog,
  ejected: UserMinus,
  link_made: Link2,
  link_deleted: Link2Off,
  settings: Settings2,
  sections: UsersRound,
  export: Download,
  handover_offered: Handshake,
  handover_accepted: Handshake,
  handover_ended: Handshake,
};

function Entry({ entry }: { entry: LogEntry }) {
  const Icon = icons[entry.kind];
  return (
    <li className="flex gap-3 px-4 py-3">
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
      <div className="min-w-0">
        <p className="font-semibold wrap-anywhere">{inWords(entry)}</p>
        <p className="flex flex-wrap gap-x-1.5 text-sm text-muted">
          <span className="min-w-0 wrap-anywhere">{nameOf(entry.actor)}</span>
          <span aria-hidden>·</span>
          <time dateTime={entry.at}>{timeOfDay(entry.at)}</time>
        </p>
      </div>
    </li>
  );
}

function nameOf(person: PersonInLog | null): string {
  if (!person) return t('someone');
  return person.is_member ? fullName(person) : t('formerMember');
}

const roleKey = (role: ClubRole | undefined) => ({ 200: 'admin', 100: 'organiser', 0: 'member' })[role ?? 0];

function inWords({ kind, person, details }: LogEntry): string {
  const { role, fields = [], sections = [], afterwards = 'stay', reason = 'withdrawn' } = details;
  const name = nameOf(person);
  switch (kind) {
    case 'founded':
      return t('clubFounded');
    case 'role':
      return t('gotRole', { person: name, now: roleKey(role?.now), before: roleKey(role?.before) });
    case 'ejected':
      return t('wasRemoved', { person: name });
    case 'link_made':
      return t('linkMade');
    case 'link_deleted':
      return t('linkDeleted');
    case 'handover_offered':
      return t('clubOffered', { person: name });
    case 'handover_accepted':
      return t('clubTakenOver', { person: name, afterwards });
    case 'handover_ended':
      return t('offerEnded', { person: name, reason });
    case 'sections':
      return t('sectionsChanged', { changes: listOf(sections.map((change) => sectionChanges()[change])) });
    case 'export':
      return t('membersDownloaded');
    case 'settings':
      return t('settingsChanged', { fields: listOf(fields.map((field) => settingNames()[field])) });
  }
}

const sectionChanges = (): Record<SectionChange, string> => ({
  added: t('sectionAdded'),
  renamed: t('sectionRenamed'),
  ordered: t('sectionsOrdered'),
  removed: t('sectionRemoved'),
  members: t('sectionMembers'),
});

const settingNames = (): Record<ClubSetting, string> => ({
  club_name: t('fieldName'),
  club_description: t('fieldDescription'),
  language: t('fieldLanguage'),
  organisers_plan: t('fieldOrganisersPlan'),
  location_name: t('fieldLocation'),
  website: t('fieldWebsite'),
  profile_picture_url: t('fieldPicture'),
  profile_banner_url: t('fieldBanner'),
  breaks: t('fieldBreaks'),
});
