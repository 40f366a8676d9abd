import { ArrowDown, ArrowRight, Check } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { Button } from '#ui/Button.tsx';
import { Drawing } from '#ui/Drawing.tsx';
import { Rich, strong } from '#ui/Rich.tsx';
import { arrival, takeArrival } from '#web/first/after-login.ts';
import { redirectToLogin } from '#web/first/session.ts';
import { settings } from '#web/settings.ts';
import { useTitle } from '#web/useTitle.ts';
import { ArrivalNotice } from './landing/ArrivalNotice.tsx';
import { CalendarPicture } from './landing/CalendarPicture.tsx';
import { EmailPicture } from './landing/EmailPicture.tsx';
import { EventPicture } from './landing/EventPicture.tsx';
import { t } from '#app/web/pages/landing/messages.ts';

/** The email of a login link that no longer works, after its page has redirected here. */
type LandingState = { expiredFor?: string };

export default function LandingPage() {
  useTitle();
  const [opened, setOpened] = useState(arrival);
  const navigate = useNavigate();
  const { state } = useLocation() as { state: LandingState | null };
  const forget = () => {
    takeArrival();
    setOpened(undefined);
    if (state) void navigate('/', { replace: true });
  };
  return (
    <>
      <ArrivalNotice arrival={opened} expiredFor={state?.expiredFor} onDismiss={forget} />
      <Hero />
      <Why />
      <CreateClub onPress={forget} />
    </>
  );
}

const differences = ['noApp', 'noPassword', 'noCookies'] as const;

function Hero() {
  return (
    <section className="mx-auto grid max-w-6xl items-center gap-10 px-4 pt-8 pb-16 sm:px-6 sm:pt-14 sm:pb-24 lg:grid-cols-[1.05fr_1fr]">
      <div>
        <h1 className="text-[min(2.75rem,13vw)] leading-[1.09] font-extrabold tracking-tight text-balance sm:text-[3.75rem] sm:leading-[1.05]">
          {t('organiseYourClub')}
        </h1>
        <p className="mt-5 max-w-md text-lg text-muted sm:text-xl">{t('organiseYourClubText')}</p>
        <ul className="mt-5 grid gap-1.5">
          {differences.map((difference) => (
            <li key={difference} className="flex gap-2.5">
              <Check aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
              <p>
                <Rich parts={t.parts(difference, { b: strong })} />
              </p>
            </li>
          ))}
        </ul>
        <div className="mt-8 flex flex-wrap gap-2 sm:gap-3">
          <Button asChild size="lg">
            <Link to="/login">
              {t('getStarted')}
              <ArrowRight aria-hidden />
            </Link>
          </Button>
          <Button asChild size="lg" variant="ghost" className="max-sm:-ml-3 max-sm:px-3!">
            <a href="#features">
              {t('learnMore')}
              <ArrowDown aria-hidden />
            </a>
          </Button>
        </div>
      </div>
      <EmailPicture className="mx-auto w-full max-w-md" />
    </section>
  );
}

function Why() {
  return (
    <section id="features" aria-labelledby="why" className="scroll-mt-4 border-y border-line bg-surface">
      <div className="mx-auto max-w-6xl px-4 py-16 sm:px-6 sm:py-24">
        <h2 id="why" className="text-3xl font-bold">
          {t('whyTitle', { productName: settings.productName })}
        </h2>
        <div className="mt-10 grid gap-12 sm:mt-14 sm:gap-20">
          <Feature
            title={t('easyEvents')}
            text={t('easyEventsText')}
            picture={<EventPicture className="w-full" />}
          />
          <Feature
            mirrored
            title={t('yourCalendar')}
            text={t('yourCalendarText')}
            picture={<CalendarPicture className="w-full" />}
          />
        </div>
      </div>
    </section>
  );
}

type FeatureProps = { title: string; text: string; picture: ReactNode; mirrored?: boolean };

function Feature({ title, text, picture, mirrored }: FeatureProps) {
  return (
    <div className="grid items-center gap-8 md:grid-cols-2 md:gap-16">
      <div className={mirrored ? 'md:order-last' : undefined}>
        <h3 className="text-2xl font-bold">{title}</h3>
        <p className="mt-3 max-w-prose text-lg text-muted">{text}</p>
      </div>
      <div className="overflow-clip rounded-2xl bg-accent-soft">{picture}</div>
    </div>
  );
}

/**
 * The link points to the landing page itself, as specified. Without a session, the click leads through the login to the
 * form of a new club.
 */
function CreateClub({ onPress }: { onPress: () => void }) {
  return (
    <section className="mx-auto max-w-6xl px-4 py-16 sm:px-6 sm:py-24">
      <div className="flex flex-wrap items-center justify-between gap-x-10 gap-y-6 rounded-2xl bg-accent px-6 py-10 text-accent-ink sm:px-12 sm:py-14">
        <Drawing name="tent" className="[--color-bg:var(--color-accent)]" />
        <h2 className="max-w-md flex-1 basis-72 text-2xl font-bold sm:text-3xl">{t('createAClub')}</h2>
        <Button asChild size="lg" variant="secondary">
          <Link
            to="/"
            onClick={(event) => {
              event.preventDefault();
              onPress();
              redirectToLogin('/app/new-club');
            }}
          >
            {t('createYourClub')}
          </Link>
        </Button>
      </div>
    </section>
  );
}
