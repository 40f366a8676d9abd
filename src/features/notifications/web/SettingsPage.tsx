import { useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import { notify } from '#web/copy.ts';
import { type SettingKey, settingKeys } from '#features/notifications/contract.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Checkbox } from '#ui/Checkbox.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';

const isMail = (key: SettingKey) => key.startsWith('email_');

const groups = [
  { name: 'In the app', keys: settingKeys.filter((key) => !isMail(key)) },
  { name: 'By email', keys: settingKeys.filter(isMail) },
];

const always = 'Always sent in the app.';
const hints: Partial<Record<SettingKey, string>> = {
  event_cancelled: always,
  member_removed: always,
  event_updated: 'Changes of time or place are always sent.',
  email_attending: 'The event as a calendar file, when you sign up for it.',
};

export default function SettingsPage() {
  const { data: settings } = useSuspenseQuery(queries.notificationSettings());
  const [draft, setDraft] = useState(settings);
  const back = useBack('/app');
  const save = useSubmit({
    mutationFn: () => api.notifications.saveSettings(draft),
    onSuccess: (saved) => {
      queryClient.setQueryData(queries.notificationSettings().queryKey, saved);
      notify('settingsSaved');
    },
    onError: () => notify('settingsFailed'),
  });
  useTitle('Notification Settings');

  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title="Notification Settings"
        text="Choose what you want to hear about."
        back={<BackButton onClick={back} />}
      />
      <Card asChild>
        <form onSubmit={submit} className="flex flex-col gap-6">
          <div className="grid gap-6 sm:grid-cols-2">
            {groups.map(({ name, keys }) => (
              <fieldset key={name} className="min-w-0">
                <legend className="mb-1 text-lg font-bold">{name}</legend>
                {keys.map((key) => (
                  <Checkbox
                    key={key}
                    name={key}
                    label={
                      <span className="inline-block first-letter:uppercase">{key.replaceAll('_', ' ')}</span>
                    }
                    hint={hints[key]}
                    checked={draft[key] ?? false}
                    onChange={({ target }) => setDraft({ ...draft, [key]: target.checked })}
                  />
                ))}
              </fieldset>
            ))}
          </div>
          <NotSaved title="Your settings weren't saved" reason={save.error && sentence(save.error)} />
          <Button type="submit" busy={save.isPending} className="sm:self-end">
            Save
          </Button>
        </form>
      </Card>
    </div>
  );
}
