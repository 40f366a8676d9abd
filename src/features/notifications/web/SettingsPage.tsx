import { useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, Suspense, useState } from 'react';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import { showToast } from '#web/copy.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import { type Setting, settingNames } from '#features/notifications/settings-contract.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { BottomBar } from '#ui/BottomBar.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { lazyPart } from '#ui/LazyPart.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { settings } from '#web/settings.ts';
import { withTexts } from '#web/with-texts.ts';
import { t } from '#features/notifications/form-messages.ts';
import { fullGrid, SettingRow, smallGrid, WeeklyEmail } from './SettingsGrid.tsx';

/** Notices that only admins and hosts get. Their rows come last. */
const forHostsAndAdmins: readonly Setting[] = [
  'seat_free',
  'answers_changed',
  'not_reached',
  'member_joined',
];

const ThisDevice = lazyPart(() => withTexts(import('#features/push/web/ThisDevice.tsx')));

export default function SettingsPage() {
  const { data: saved } = useSuspenseQuery(queries.notificationSettings());
  /** Only the settings that were changed here, so that this page does not overwrite changes from another device. */
  const [changed, setChanged] = useState<Record<string, boolean>>({});
  const draft = { ...saved, ...changed };
  const back = useBack('/app');
  const showFailure = useFailureToast();
  const save = useSubmit({
    mutationFn: () => api.notifications.saveSettings(draft),
    onSuccess: (saved) => {
      queryClient.setQueryData(queries.notificationSettings().queryKey, saved);
      showToast('settingsSaved');
    },
    onError: () => showFailure('settingsFailed'),
  });
  useTitle(t('notificationSettings'));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const change = (next: Record<string, boolean>) => setChanged({ ...changed, ...next });
  const offersDevices = settings.hasPush === true;
  const grid = offersDevices ? fullGrid : smallGrid;
  const row = (setting: Setting) => (
    <SettingRow key={setting} setting={setting} draft={draft} grid={grid} onChange={change} />
  );
  return (
    <div className={cn('mx-auto', offersDevices ? 'max-w-5xl' : 'max-w-3xl')}>
      <PageHeader
        title={t('notificationSettings')}
        text={t('notificationSettingsText')}
        back={<BackButton onClick={back} />}
      />
      {settings.hasPush && (
        <Suspense fallback={<SkeletonText lines={2} className="mb-6" />}>
          <ThisDevice />
        </Suspense>
      )}
      <Card asChild>
        <form onSubmit={submit} className="flex flex-col gap-6">
          <WeeklyEmail draft={draft} onChange={change} />
          <div className="flex flex-col">
            <div aria-hidden className={cn(grid.columns, grid.head, 'pb-2 text-sm font-semibold text-muted')}>
              <span />
              {grid.channels.map(({ name }) => (
                <span key={name}>{t(name)}</span>
              ))}
            </div>
            {settingNames.filter((setting) => !forHostsAndAdmins.includes(setting)).map(row)}
            <h2 className="border-t border-line pt-6 pb-2 text-lg font-bold">{t('forHostsAndAdmins')}</h2>
            {forHostsAndAdmins.map(row)}
          </div>
          <BottomBar className="flex flex-col gap-3 lg:sticky lg:bottom-0 lg:-mx-6 lg:-mb-6 lg:border-t lg:border-line lg:bg-surface lg:px-6 lg:py-4">
            <NotSaved title={t('settingsNotSaved')} reason={save.error && sentence(save.error)} />
            <Button type="submit" busy={save.isPending} className="sm:self-end">
              {t('save')}
            </Button>
          </BottomBar>
        </form>
      </Card>
    </div>
  );
}
