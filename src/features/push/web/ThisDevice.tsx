import { useQuery } from '@tanstack/react-query';
import { BellRing } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { sentence } from '#web/explain.ts';
import { pushQueries, pushSupport, switchOff, switchOn } from '#web/push.ts';
import { settings } from '#web/settings.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { t } from '#features/push/messages.ts';
import { useTest } from './useTest.ts';

/** The section of the settings that switches notifications on and off for this browser. */
export default function ThisDevice() {
  // The permission may change while the page is open.
  const [, setAsked] = useState(0);
  const support = pushSupport();
  return (
    <Card asChild className="mb-6">
      <section aria-labelledby="this-device">
        <h2 id="this-device" className="text-lg font-bold">
          {t('thisDevice')}
        </h2>
        {support === 'home_screen' && (
          <p className="mt-1 whitespace-pre-line">
            {t('homeScreenSteps', { product: settings.productName })}
          </p>
        )}
        {support === 'blocked' && <p className="mt-1">{t('blocked')}</p>}
        {support === 'none' && <p className="mt-1">{t('none')}</p>}
        {support === 'ready' && <Switch onAsked={() => setAsked((times) => times + 1)} />}
      </section>
    </Card>
  );
}

function Switch({ onAsked }: { onAsked: () => void }) {
  const { data: device, isError, refetch } = useQuery(pushQueries.device());
  if (isError)
    return (
      <NotLoaded className="mt-2" retry={() => void refetch()}>
        {t('notLoaded')}
      </NotLoaded>
    );
  if (!device) return <SkeletonText lines={2} className="mt-2" />;
  return device.is_on ? <On /> : <Off publicKey={device.public_key ?? ''} onAsked={onAsked} />;
}

function Off({ publicKey, onAsked }: { publicKey: string; onAsked: () => void }) {
  const turnOn = useSubmit({ mutationFn: () => switchOn(publicKey), onSettled: onAsked });
  return (
    <>
      <p className="mt-1">{t('thisDeviceText', { product: settings.productName })}</p>
      <LockedScreen />
      <Button className="mt-4" busy={turnOn.isPending} onClick={() => turnOn.mutate()}>
        <BellRing aria-hidden />
        {t('switchOn')}
      </Button>
      <Failed title={t('notSwitchedOn')} error={turnOn.error} />
    </>
  );
}

const outcomes = { sent: 'testSent', arrived: 'testArrived', nothing: 'nothingArrived' } as const;

function On() {
  const turnOff = useSubmit({ mutationFn: switchOff });
  const test = useTest();
  return (
    <>
      <p className="mt-1 flex items-center gap-2 font-semibold text-ok">
        <BellRing aria-hidden className="size-5 shrink-0" />
        {t('onForThisDevice')}
      </p>
      <LockedScreen />
      <div className="mt-4 flex flex-wrap gap-3">
        <Button variant="secondary" busy={test.isPending} onClick={test.send}>
          {t('sendATest')}
        </Button>
        <Button variant="ghost" busy={turnOff.isPending} onClick={() => turnOff.mutate()}>
          {t('switchOff')}
        </Button>
      </div>
      <p role="status" className={test.outcome ? 'mt-4' : undefined}>
        {test.outcome && <span key={test.outcome}>{t(outcomes[test.outcome])}</span>}
      </p>
      <Failed title={t('testNotSent')} error={test.error} />
      <Failed title={t('notSwitchedOff')} error={turnOff.error} />
    </>
  );
}

const LockedScreen = () => <p className="mt-1 text-sm text-muted">{t('lockedScreen')}</p>;

const Failed = ({ title, error }: { title: string; error: Error | null }): ReactNode =>
  error && (
    <div className="mt-4">
      <NotSaved title={title} reason={sentence(error)} advice="" />
    </div>
  );
