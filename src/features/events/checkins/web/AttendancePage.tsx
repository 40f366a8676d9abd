import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { NextPage } from '#web/NextPage.tsx';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queries } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { uniqueById } from '#web/useMore.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import type { Attendance } from '#features/events/checkins/contract.ts';
import { fullName, isAdminIn } from '#features/members/rules.ts';
import { Card } from '#ui/Card.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { t } from '#features/events/checkins/messages.ts';

/** Shows admins how often each member of the club came, ordered by name. Other members see only their own row. */
export default function AttendancePage() {
  const { slug = '' } = useParams();
  const { data: club } = useSuspenseQuery(queries.club(slug));
  const me = useUser().id;
  const back = useBack(`/app/clubs/${slug}`);
  const query = useInfiniteQuery({
    queryKey: ['attendance', slug],
    queryFn: ({ pageParam }) => api.checkins.attendance({ club: slug, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ more }) => more,
  });
  const { data, error } = query;
  useTitle(t('attendanceOf', { club: club.club_name }));
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title={t('attendance')}
        text={isAdminIn(club, me) ? t('attendanceText') : t('ownAttendanceText')}
        back={<BackButton onClick={back} />}
      />
      {data ? (
        <Table
          caption={t('attendanceOf', { club: club.club_name })}
          members={uniqueById(data.pages.flatMap(({ members }) => members))}
        />
      ) : error ? (
        <NotLoaded title={t('attendanceNotLoaded')} retry={() => void query.refetch()}>
          {explain(error)}
        </NotLoaded>
      ) : (
        <Card aria-busy>
          <SkeletonText lines={6} />
        </Card>
      )}
      <NextPage query={query} className="mt-4">
        {t('showMore')}
      </NextPage>
    </div>
  );
}

const columns = ['going', 'came', 'late_no', 'not_come'] as const;
const columnNames = () => ({
  going: t('going'),
  came: t('came'),
  late_no: t('lateNo'),
  not_come: t('notCome'),
});

/** With large text on a phone, each number has a line of its own. */
function Table({ caption, members }: { caption: string; members: readonly Attendance[] }) {
  return (
    <Card flush className="@container">
      <table className="w-full border-collapse text-left @max-[17rem]:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="@max-[17rem]:hidden">
          <tr className="border-b border-line align-bottom text-xs text-muted sm:text-sm [&>th]:px-1 [&>th]:py-3 [&>th:last-child]:pr-4 [&>th]:font-semibold sm:[&>th]:px-4">
            <th scope="col" className="w-full pl-4!">
              {t('name')}
            </th>
            {columns.map((column) => (
              <th key={column} scope="col" className="text-right sm:min-w-28">
                {columnNames()[column]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line @max-[17rem]:block">
          {members.map((member) => (
            <tr
              key={member.id}
              className="@max-[17rem]:block [&>*]:px-1 [&>*]:py-3 [&>:last-child]:pr-4 sm:[&>*]:px-4"
            >
              <th scope="row" className="min-w-20 pl-4! font-semibold wrap-anywhere @max-[17rem]:block">
                {fullName(member)}
              </th>
              {columns.map((column) => (
                <td
                  key={column}
                  data-column={columnNames()[column]}
                  className="text-right tabular-nums @max-[17rem]:flex @max-[17rem]:justify-between @max-[17rem]:pt-0! @max-[17rem]:px-4! @max-[17rem]:before:text-muted @max-[17rem]:before:content-[attr(data-column)]"
                >
                  {member[column]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
