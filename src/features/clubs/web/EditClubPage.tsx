import { useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { api } from '#web/api.ts';
import { ChangedMeanwhile } from '#web/ChangedMeanwhile.tsx';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { LanguageOptions } from '#web/LanguageOptions.tsx';
import { sentence } from '#web/explain.ts';
import { LeaveWithToast } from '#web/LeaveWithToast.tsx';
import { current, queries, queryClient, refreshUser } from '#web/queries.ts';
import { useDraft } from '#web/useDraft.ts';
import { type Edited, useSharedForm } from '#web/useSharedForm.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import { showToast } from '#web/copy.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import { isBlank } from '#wire/blank.ts';
import type { Club } from '#features/clubs/contract.ts';
import { languages } from '#languages/languages.ts';
import { ClubPictures } from '#features/media/web/ClubPictures.tsx';
import { isAdminIn } from '#features/members/rules.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Checkbox } from '#ui/Checkbox.tsx';
import { Field } from '#ui/Field.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { Select } from '#ui/Select.tsx';
import { TextArea } from '#ui/TextArea.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { DeleteClub } from './DeleteClub.tsx';
import { t } from '#features/clubs/form-messages.ts';

export default function EditClubPage() {
  const { slug = '' } = useParams();
  const navigate = useNavigate();
  const { data: club } = useSuspenseQuery(queries.club(slug));
  const admin = isAdminIn(club, useUser().id);
  useTitle(t('editClub'));
  if (!admin)
    return (
      <LeaveWithToast
        to={`/app/clubs/${club.slug}`}
        title={t('permissionDenied')}
        text={t('permissionDeniedText')}
      />
    );
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title={t('editClub')}
        back={<BackButton onClick={() => void navigate(`/app/clubs/${club.slug}`, { replace: true })} />}
      />
      <ClubPictures club={club} />
      <EditForm club={club} />
      <BreaksLink club={club} />
      <DeleteClub club={club} />
    </div>
  );
}

const BreaksLink = ({ club }: { club: Club }) => (
  <section
    aria-labelledby="breaks"
    className="mt-8 flex flex-wrap items-center justify-between gap-4 rounded-xl border border-line p-5 sm:p-6"
  >
    <div className="min-w-0 flex-1 basis-64">
      <h2 id="breaks" className="text-lg font-bold">
        {t('breaks')}
      </h2>
      <p className="mt-1 text-sm text-muted">{t('breaksText')}</p>
    </div>
    <Button asChild variant="secondary">
      <Link to={`/app/clubs/${club.slug}/breaks`}>{t('changeBreaks')}</Link>
    </Button>
  </section>
);

const loadedFrom = ({
  club_name,
  club_description,
  language,
  organisers_plan,
  location_name,
  meta,
  version,
}: Club) => ({
  fields: {
    club_name,
    club_description,
    location_name: location_name ?? '',
    website: meta.website ?? '',
    language,
    organisers_plan,
  },
  version,
});
type Fields = ReturnType<typeof loadedFrom>['fields'];

const labels = (): Record<keyof Fields, string> => ({
  club_name: t('clubName'),
  club_description: t('clubDescription'),
  location_name: t('clubLocation'),
  website: t('clubWebsite'),
  language: t('clubLanguage'),
  organisers_plan: t('organisersPlan'),
});

/** A value of another admin, as a conflict shows it. */
const inWords = (key: keyof Fields, fields: Fields): string => {
  if (key === 'language') return languages[fields[key]].name;
  if (key === 'organisers_plan') return fields[key] ? t('on') : t('off');
  return fields[key];
};

function EditForm({ club }: { club: Club }) {
  const [edited, setEdited, kept] = useDraft<Edited<Fields>>(`club:${club.id}`, undefined);
  const form = useSharedForm<Fields>({
    loaded: loadedFrom(club),
    load: async () => loadedFrom(await queryClient.query({ ...queries.club(club.slug), ...current })),
    state: [edited, setEdited],
  });
  const fields = form.values;
  const change = useChange(club, form, kept.forget);
  const control = (name: Exclude<keyof Fields, 'organisers_plan'>) => ({
    value: fields[name],
    onChange: ({ target }: { target: { value: string } }) => form.change({ [name]: target.value }),
  });
  const wasNameMissing = change.isError && isBlank(change.variables.club_name);
  const nameField = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(fields, {
      onError: () => {
        if (isBlank(fields.club_name)) nameField.current?.focus();
      },
    });
  };
  return (
    <>
      <DraftNotice of={kept} />
      <Card asChild>
        <form onSubmit={submit} noValidate className="flex flex-col gap-5">
          <Field
            label={t('clubName')}
            error={wasNameMissing && isBlank(fields.club_name) && t('clubNameMissing')}
          >
            <TextInput ref={nameField} {...control('club_name')} maxLength={80} autoComplete="off" />
          </Field>
          <Field label={t('clubDescription')} hint={t('clubDescriptionHint')}>
            <TextArea {...control('club_description')} maxLength={2000} rows={4} />
          </Field>
          <Field label={t('clubLocation')}>
            <TextInput {...control('location_name')} maxLength={200} autoComplete="off" />
          </Field>
          <Field label={t('clubWebsite')} hint={t('clubWebsiteHint')}>
            <TextInput
              {...control('website')}
              maxLength={300}
              inputMode="url"
              autoComplete="off"
              autoCapitalize="none"
            />
          </Field>
          <Field label={t('clubLanguage')} hint={t('clubLanguageHint')}>
            <Select {...control('language')}>
              <LanguageOptions />
            </Select>
          </Field>
          <Checkbox
            label={t('organisersPlan')}
            hint={t('organisersPlanHint')}
            checked={fields.organisers_plan === true}
            onChange={({ target }) =>
              // Null if no admin has decided, so that a change that is taken back decides nothing.
              form.change({ organisers_plan: target.checked || (form.base.organisers_plan && false) })
            }
          />
          <ChangedMeanwhile
            values={form.conflict?.map((key) => ({
              label: labels()[key],
              value: inWords(key, form.base),
            }))}
          />
          <NotSaved
            title={t('clubNotUpdated')}
            reason={wasNameMissing ? null : change.error && sentence(change.error)}
          />
          <div className="flex justify-end">
            <Button
              type="submit"
              busy={change.isPending}
              busyLabel={t('updating')}
              className="w-full sm:w-auto"
            >
              {t('updateClub')}
            </Button>
          </div>
        </form>
      </Card>
    </>
  );
}

function useChange(
  { id, slug }: Club,
  form: ReturnType<typeof useSharedForm<Fields>>,
  forgetDraft: () => void,
) {
  const navigate = useNavigate();
  const showFailure = useFailureToast();
  return useSubmit({
    mutationFn: (_entered: Fields) =>
      form.save(({ website, location_name, organisers_plan, ...words }, version) =>
        api.clubs.update(
          {
            club: slug,
            clubId: id,
            ...words,
            ...(organisers_plan !== null && { organisers_plan }),
            location_name: location_name.trim() || null,
            meta: { website: website.trim() || null },
          },
          version,
        ),
      ),
    onSuccess: async (saved) => {
      if (!saved) return;
      forgetDraft();
      showToast('clubUpdated');
      // Refetch before navigating, so that the club page does not show old data first.
      await Promise.all([queryClient.invalidateQueries({ queryKey: ['club'] }), refreshUser()]);
      await navigate(`/app/clubs/${slug}`, { replace: true });
    },
    onError: () => showFailure('clubUpdateFailed'),
  });
}
