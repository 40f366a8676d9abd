import type { ChangeEvent } from 'react';
import { api } from '#web/api.ts';
import { LanguageOptions } from '#web/LanguageOptions.tsx';
import { sentence } from '#web/explain.ts';
import { keepLook } from '#web/first/page-look.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { User } from '#features/users/contract.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Card } from '#ui/Card.tsx';
import { Field } from '#ui/Field.tsx';
import { Select } from '#ui/Select.tsx';
import { timeZones } from '#wire/time-zone.ts';
import { t } from '#features/users/messages.ts';

type Look = Pick<User, 'language' | 'clock' | 'time_zone'>;

const shownZone = (zone: string) => zone.replaceAll('_', ' ');

/** Saves each choice at once. The page then reloads, because its look stays the same while it is open. */
export function LookSettings({ user }: { user: User }) {
  const save = useSubmit({
    mutationFn: (look: Partial<Look>) => api.users.update(look),
    onSuccess: (saved) => {
      queryClient.setQueryData(queries.user().queryKey, saved);
      if (keepLook(saved)) location.reload();
    },
  });
  const chosen: Look = { ...user, ...save.variables };
  const select = (key: keyof Look) => ({
    name: key,
    value: chosen[key] ?? '',
    disabled: save.isPending,
    onChange: ({ target }: ChangeEvent<HTMLSelectElement>) =>
      save.mutate({ [key]: target.value || null } as Partial<Look>),
  });
  const device = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = new Set([...(user.time_zone ? [user.time_zone] : []), 'UTC', ...timeZones()]);
  return (
    <Card>
      <h2 className="mb-4 text-lg font-bold">{t('languageAndTime')}</h2>
      <div className="flex flex-col gap-5">
        <Field label={t('language')}>
          <Select {...select('language')}>
            <LanguageOptions />
          </Select>
        </Field>
        <Field label={t('clock')}>
          <Select {...select('clock')}>
            <option value="auto">{t('clockOfLanguage')}</option>
            <option value="12">{t('clock12')}</option>
            <option value="24">{t('clock24')}</option>
          </Select>
        </Field>
        <Field label={t('timeZone')} hint={t('timeZoneHint')}>
          <Select {...select('time_zone')}>
            <option value="">{t('zoneOfDevice', { zone: shownZone(device) })}</option>
            {[...zones].sort().map((zone) => (
              <option key={zone} value={zone}>
                {shownZone(zone)}
              </option>
            ))}
          </Select>
        </Field>
        <NotSaved title={t('lookNotSaved')} reason={save.error && sentence(save.error)} />
      </div>
    </Card>
  );
}
