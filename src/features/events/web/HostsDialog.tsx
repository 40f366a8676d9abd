import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Ellipsis, Plus } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { api } from '#web/api.ts';
import { explain, sentence } from '#web/explain.ts';
import { NextPage } from '#web/NextPage.tsx';
import { queries } from '#web/queries.ts';
import { useDebouncedValue } from '#web/useDebouncedValue.ts';
import { uniqueById } from '#web/useMore.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useUser } from '#web/useSession.ts';
import type { Event } from '#features/events/contract.ts';
import { maxHosts } from '#features/events/form-rules.ts';
import type { Attendee } from '#features/events/people-contract.ts';
import { fullName, manyMembers, ownName } from '#features/members/rules.ts';
import { sourceSet } from '#wire/pictures.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Badge } from '#ui/Badge.tsx';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { LazyConfirmDialog } from '#ui/LazyConfirmDialog.tsx';
import { Menu, MenuItem } from '#ui/Menu.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { SearchField } from '#ui/TextInput.tsx';
import { refreshEvents } from './useEvent.ts';
import { t as ofEvents } from '#features/events/messages.ts';
import { t } from '#features/events/host-messages.ts';

type Person = Pick<Attendee, 'first_name' | 'last_name' | 'profile_picture_url'> & { id: string };

type HostsDialogProps = { event: Event; isPlanner: boolean; onClose: () => void };

/** The hosts of an event. Planners and the first host add, order and remove hosts; the other hosts can step down. */
export default function HostsDialog({ event, isPlanner, onClose }: HostsDialogProps) {
  const { id: viewer } = useUser();
  const [isAdding, setAdding] = useState(false);
  const [asking, setAsking] = useState<'step_down' | Person>();
  const hosts = event.attendees
    .filter(({ attendee_role }) => attendee_role === 'organiser')
    .map(({ attendee_id: id, ...host }) => ({ id, ...host }));
  const mayChange = isPlanner || hosts[0]?.id === viewer;
  const save = useHostChange(() => {
    setAdding(false);
    setAsking(undefined);
  });
  const stepDown = () =>
    save.mutate(async () => {
      await api.hosts.remove({ event: event.slug, user: viewer });
      // Hosts who are no planners lose the menu of this dialog.
      onClose();
    });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={isAdding ? t('addHost') : t('hosts')}
      description={isAdding ? t('addHostText') : t('hostsText')}
      size="sm"
    >
      {!asking && (
        <NotSaved title={ofEvents('hostsNotChanged')} reason={save.error && sentence(save.error)} />
      )}
      <Focused key={String(isAdding)} isFirst={!isAdding}>
        {isAdding ? (
          <Candidates
            club={event.owner_club_id}
            hosts={hosts}
            busy={save.isPending}
            onChoose={({ id }) => save.mutate(() => api.hosts.add({ event: event.slug, user: id }))}
          />
        ) : (
          <>
            <ul aria-label={t('hosts')}>
              {hosts.map((host, at) => (
                <li key={host.id} className="flex min-h-14 flex-wrap items-center gap-x-3 py-1">
                  <Name person={host} previous={hosts[at - 1]?.id}>
                    {at === 0 && hosts.length > 1 && <Badge tone="accent">{t('firstHost')}</Badge>}
                  </Name>
                  {mayChange && host.id !== viewer && hosts.length > 1 && (
                    <HostMenu
                      host={host}
                      isFirst={at === 0}
                      onMakeFirst={() => setAsking(host)}
                      onRemove={() =>
                        save.mutate(() => api.hosts.remove({ event: event.slug, user: host.id }))
                      }
                    />
                  )}
                  {host.id === viewer && hosts.length > 1 && (
                    <Button
                      variant="link"
                      size="sm"
                      className="ml-11 px-0!"
                      aria-haspopup="dialog"
                      onClick={() => setAsking('step_down')}
                    >
                      {t('stepDown')}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
            {mayChange && hosts.length < maxHosts && (
              <Button variant="secondary" className="mt-3 w-full" onClick={() => setAdding(true)}>
                <Plus aria-hidden />
                {t('addHost')}
              </Button>
            )}
            {hosts.length >= maxHosts && mayChange && <Hint>{t('allHosts')}</Hint>}
            {hosts.length === 1 && hosts[0]?.id === viewer && <Hint>{t('stepDownHint')}</Hint>}
          </>
        )}
      </Focused>
      <LazyConfirmDialog
        open={asking === 'step_down'}
        onOpenChange={() => setAsking(undefined)}
        title={t('stepDownTitle')}
        text={t('stepDownText')}
        confirmLabel={t('stepDown')}
        busy={save.isPending}
        busyLabel={t('saving')}
        onConfirm={stepDown}
      >
        <NotSaved title={ofEvents('hostsNotChanged')} reason={save.error && sentence(save.error)} />
      </LazyConfirmDialog>
      {typeof asking === 'object' && (
        <LazyConfirmDialog
          open
          onOpenChange={() => setAsking(undefined)}
          title={<span className="wrap-anywhere">{t('makeFirstHostTitle', { name: fullName(asking) })}</span>}
          text={
            hosts[0]?.id === viewer
              ? t('makeFirstHostYouText')
              : t('makeFirstHostText', { name: hosts[0] ? fullName(hosts[0]) : '' })
          }
          confirmLabel={t('makeFirstHost')}
          busy={save.isPending}
          busyLabel={t('saving')}
          onConfirm={() =>
            save.mutate(async () => {
              await api.hosts.handOver({ event: event.slug, user_id: asking.id });
              if (hosts[0]?.id === viewer) onClose();
            })
          }
        >
          <NotSaved title={ofEvents('hostsNotChanged')} reason={save.error && sentence(save.error)} />
        </LazyConfirmDialog>
      )}
    </Dialog>
  );
}

const Hint = ({ children }: { children: string }) => <p className="mt-3 text-sm text-muted">{children}</p>;

const useHostChange = (onSaved: () => void) =>
  useSubmit({
    mutationFn: (change: () => Promise<unknown>) => change(),
    onSuccess: async () => {
      await refreshEvents();
      onSaved();
    },
  });

/** Content that takes the focus when it replaces other content of the dialog, whose focused button is gone. */
function Focused({ isFirst, children }: { isFirst: boolean; children: ReactNode }) {
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isFirst) content.current?.focus();
  }, [isFirst]);
  return (
    <div ref={content} tabIndex={-1} className="outline-none">
      {children}
    </div>
  );
}

type NameProps = { person: Person; previous: string | undefined; children?: ReactNode };

function Name({ person, previous, children }: NameProps) {
  const { id: viewer } = useUser();
  const name = fullName(person);
  return (
    <>
      <Avatar
        name={ownName(person)}
        src={person.profile_picture_url}
        srcSet={sourceSet(person.profile_picture_url, 'person')}
        seed={person.id}
        previous={previous}
        size="sm"
      />
      <span className="flex min-w-0 flex-1 basis-[8em] flex-wrap items-center gap-x-2 gap-y-1 text-left wrap-anywhere">
        <span className="font-medium">{person.id === viewer ? t('you', { name }) : name}</span>
        <span className="contents">{children}</span>
      </span>
    </>
  );
}

type HostMenuProps = { host: Person; isFirst: boolean; onMakeFirst: () => void; onRemove: () => void };

const HostMenu = ({ host, isFirst, onMakeFirst, onRemove }: HostMenuProps) => (
  <Menu
    align="end"
    trigger={
      <Button
        variant="ghost"
        aria-label={t('actionsFor', { name: fullName(host) })}
        className="ml-auto w-11 px-0"
      >
        <Ellipsis aria-hidden />
      </Button>
    }
  >
    {!isFirst && <MenuItem onSelect={onMakeFirst}>{t('makeFirstHost')}</MenuItem>}
    <MenuItem onSelect={onRemove}>{t('remove')}</MenuItem>
  </Menu>
);

type CandidatesProps = {
  club: string;
  hosts: readonly Person[];
  busy: boolean;
  onChoose: (member: Person) => void;
};

/** The members who are no hosts yet. A tap makes one a host. */
function Candidates({ club, hosts, busy, onChoose }: CandidatesProps) {
  const [typed, setTyped] = useState('');
  const q = useDebouncedValue(typed.trim());
  const query = useInfiniteQuery({
    ...queries.foundMembers(club, q),
    placeholderData: keepPreviousData,
  });
  const { data, error, refetch } = query;
  const members = uniqueById(data?.pages.flatMap((page) => page.members) ?? []).filter(
    ({ id }) => !hosts.some((host) => host.id === id),
  );
  return (
    <>
      {(typed || members.length >= manyMembers) && (
        <SearchField label={t('find')} value={typed} onChange={setTyped} />
      )}
      {!data && !error && <SkeletonText lines={3} className="pt-4" />}
      {!data && error && (
        <NotLoaded title={t('membersNotLoaded')} retry={() => void refetch()} className="mt-3">
          {explain(error)}
        </NotLoaded>
      )}
      {data && members.length === 0 && (
        <p role="status" className="pt-4 text-muted">
          {q ? t('noOneFound') : t('noOneLeft')}
        </p>
      )}
      <ul className="pt-2">
        {members.map((member, at) => (
          <li key={member.id}>
            <button
              type="button"
              disabled={busy}
              onClick={() => onChoose(member)}
              className="flex min-h-14 w-full items-center gap-3 rounded-md px-2 py-1 transition-colors hover:bg-sunken"
            >
              <Name person={member} previous={members[at - 1]?.id} />
            </button>
          </li>
        ))}
      </ul>
      <NextPage query={query} className="pb-2">
        {t('showMore')}
      </NextPage>
    </>
  );
}
