import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, ChevronRight, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { Link, useParams } from 'react-router';
import { api } from '#web/api.ts';
import { explain, sentence } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { showToast } from '#web/copy.ts';
import { useBack } from '#web/useBack.ts';
import { useUser } from '#web/useSession.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import { isBlank } from '#wire/blank.ts';
import { isAdminIn } from '#features/members/rules.ts';
import { AdminsOnly } from '#features/members/web/AdminsOnly.tsx';
import type { Section } from '#features/sections/contract.ts';
import { foldedName, maxSections } from '#features/sections/rules.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { Field } from '#ui/Field.tsx';
import { Menu, MenuItem } from '#ui/Menu.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { t } from '#features/sections/messages.ts';

/** The sections of a club, for its admins. */
export default function SectionsPage() {
  const { slug = '' } = useParams();
  const { data: club } = useSuspenseQuery(queries.club(slug));
  const isAdmin = isAdminIn(club, useUser().id);
  const back = useBack(`/app/clubs/${slug}/members`);
  useTitle(t('sections'));
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title={t('sections')}
        text={isAdmin && t('sectionsText')}
        back={<BackButton onClick={back} />}
      />
      {isAdmin ? <Sections club={slug} /> : <AdminsOnly club={slug} />}
    </div>
  );
}

function Sections({ club }: { club: string }) {
  const { data: sections, error, isFetching, refetch } = useQuery(queries.sections(club));
  if (!sections)
    return error ? (
      <NotLoaded title={t('notLoaded')} busy={isFetching} retry={() => void refetch()}>
        {explain(error)}
      </NotLoaded>
    ) : (
      <Card aria-busy>
        <SkeletonText lines={4} />
      </Card>
    );
  return <Editor club={club} sections={sections} />;
}

type Change = Pick<Parameters<typeof api.sections.save>[0], 'sections' | 'remove'>;

/** Saves sections. Names are sent only if they change, so that two admins do not undo each other's names. */
const useSave = (club: string) =>
  useSubmit({
    mutationFn: (change: Change) => api.sections.save({ club, ...change }),
    onSuccess: async (saved) => {
      queryClient.setQueryData(queries.sections(club).queryKey, saved);
      showToast({ title: t('saved') });
      await queryClient.invalidateQueries({ queryKey: ['club'] });
    },
    onError: () => void queryClient.invalidateQueries(queries.sections(club)),
  });

type EditorProps = { club: string; sections: readonly Section[] };

function Editor({ club, sections }: EditorProps) {
  const [renamed, setRenamed] = useState<Section>();
  const [removed, setRemoved] = useState<Section>();
  const list = useRef<HTMLDivElement>(null);
  const save = useSave(club);
  const move = (from: number, to: number) => {
    const ids = sections.map(({ id }) => ({ id }));
    ids.splice(to, 0, ...ids.splice(from, 1));
    save.mutate(
      { sections: ids },
      { onError: (failure) => showToast({ title: t('notSaved'), text: explain(failure) }) },
    );
  };
  return (
    <div className="flex flex-col gap-6">
      <div ref={list} tabIndex={-1} className="outline-none">
        {sections.length > 0 ? (
          <Card asChild flush>
            <ul aria-label={t('sections')} className="divide-y divide-line">
              {sections.map((section, at) => (
                <Row
                  key={section.id}
                  club={club}
                  section={section}
                  onMoveUp={at > 0 ? () => move(at, at - 1) : undefined}
                  onMoveDown={at < sections.length - 1 ? () => move(at, at + 1) : undefined}
                  onRename={() => setRenamed(section)}
                  onRemove={() => setRemoved(section)}
                />
              ))}
            </ul>
          </Card>
        ) : (
          <EmptyState icon="boat" title={t('noSections')} text={t('noSectionsText')} className="py-6!" />
        )}
      </div>
      <NewSection club={club} sections={sections} />
      {renamed && (
        <Rename
          key={renamed.id}
          club={club}
          section={renamed}
          sections={sections}
          onClose={() => setRenamed(undefined)}
        />
      )}
      {removed && (
        <Remove
          club={club}
          section={removed}
          onClose={() => setRemoved(undefined)}
          // The button that opened the dialog is gone with its section.
          onRemoved={() => list.current?.focus()}
        />
      )}
    </div>
  );
}

type RowProps = {
  club: string;
  section: Section;
  onMoveUp: (() => void) | undefined;
  onMoveDown: (() => void) | undefined;
  onRename: () => void;
  onRemove: () => void;
};

function Row({ club, section: { id, name, members }, onMoveUp, onMoveDown, onRename, onRemove }: RowProps) {
  return (
    <li className="flex items-center gap-1 pr-2">
      <Link
        to={`/app/clubs/${club}/sections/${id}`}
        className="flex min-h-14 min-w-0 grow items-center gap-3 py-2 pl-5 focus-visible:-outline-offset-2 sm:pl-6"
      >
        <span className="min-w-0 grow">
          <span className="block font-semibold wrap-anywhere hyphens-auto">{name}</span>
          <span className="block text-sm text-muted">{t('memberCount', { n: members })}</span>
        </span>
        <ChevronRight aria-hidden className="size-5 shrink-0 text-muted" />
      </Link>
      <Menu
        align="end"
        trigger={
          <Button variant="ghost" aria-label={t('actionsFor', { name })} className="w-11 px-0">
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={Pencil} onSelect={onRename}>
          {t('rename')}
        </MenuItem>
        <MenuItem icon={ArrowUp} disabled={!onMoveUp} onSelect={() => onMoveUp?.()}>
          {t('moveUp')}
        </MenuItem>
        <MenuItem icon={ArrowDown} disabled={!onMoveDown} onSelect={() => onMoveDown?.()}>
          {t('moveDown')}
        </MenuItem>
        <MenuItem icon={Trash2} danger onSelect={onRemove}>
          {t('remove')}
        </MenuItem>
      </Menu>
    </li>
  );
}

/** Why a section cannot have this name. */
function problemOf(name: string, others: readonly Section[]): string | undefined {
  if (isBlank(name)) return t('nameMissing');
  const isTaken = others.some((other) => foldedName(other.name) === foldedName(name.trim()));
  return isTaken ? t('nameTaken') : undefined;
}

function NewSection({ club, sections }: EditorProps) {
  const [name, setName] = useState('');
  const [tried, setTried] = useState(false);
  const save = useSave(club);
  const problem = problemOf(name, sections);
  if (sections.length >= maxSections) return <p className="text-muted">{t('enoughSections')}</p>;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(problem !== undefined);
    if (problem) return;
    save.mutate(
      { sections: [...sections.map(({ id }) => ({ id })), { name }] },
      { onSuccess: () => setName('') },
    );
  };
  return (
    <Card asChild>
      <form noValidate aria-label={t('newSection')} onSubmit={submit} className="flex flex-col gap-5">
        <Field label={t('newSection')} hint={t('newSectionHint')} error={tried && problem} required>
          <TextInput
            maxLength={40}
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <NotSaved title={t('notSaved')} reason={save.error && sentence(save.error)} />
        <Button type="submit" busy={save.isPending} busyLabel={t('adding')} className="sm:self-end">
          {t('add')}
        </Button>
      </form>
    </Card>
  );
}

type RenameProps = EditorProps & { section: Section; onClose: () => void };

function Rename({ club, section, sections, onClose }: RenameProps) {
  const [name, setName] = useState(section.name);
  const [tried, setTried] = useState(false);
  const save = useSave(club);
  const problem = problemOf(
    name,
    sections.filter(({ id }) => id !== section.id),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(problem !== undefined);
    if (problem) return;
    const renamed = sections.map(({ id }) => (id === section.id ? { id, name } : { id }));
    save.mutate({ sections: renamed }, { onSuccess: onClose });
  };
  return (
    <Dialog open onOpenChange={onClose} title={t('renameSection', { name: section.name })} size="sm">
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        <Field label={t('name')} error={tried && problem} required>
          <TextInput
            maxLength={40}
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <NotSaved title={t('notSaved')} reason={save.error && sentence(save.error)} />
        <Button type="submit" busy={save.isPending} busyLabel={t('saving')}>
          {t('save')}
        </Button>
      </form>
    </Dialog>
  );
}

type RemoveProps = { club: string; section: Section; onClose: () => void; onRemoved: () => void };

function Remove({ club, section: { id, name }, onClose, onRemoved }: RemoveProps) {
  const save = useSave(club);
  const remove = () =>
    save.mutate(
      { remove: [id] },
      {
        onSuccess: () => {
          onClose();
          onRemoved();
        },
      },
    );
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('removeSection', { name })}
      text={t('removeSectionText')}
      confirmLabel={t('remove')}
      danger
      busy={save.isPending}
      busyLabel={t('removing')}
      onConfirm={remove}
    >
      {save.error && <NotSaved title={t('notSaved')} reason={sentence(save.error)} />}
    </ConfirmDialog>
  );
}
