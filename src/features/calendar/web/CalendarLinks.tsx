import { CalendarPlus, ChevronRight, ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { showToast } from '#web/copy.ts';
import { googleAddByUrlPage, microsoftLink, webcalLink } from '#features/calendar/rules.ts';
import { copyText } from '#ui/copy-text.ts';
import { feedUrl, type CalendarFeed, feedName, isAndroid } from './useFeed.ts';
import { t } from '#features/calendar/link-messages.ts';
import { t as ofCalendar } from '#features/calendar/messages.ts';

type App = 'webcal' | 'microsoft' | 'google';

/** The calendar apps, the most likely one for this device first. */
function appsFor(userAgent: string): App[] {
  if (/iPhone|iPad|Macintosh/.test(userAgent)) return ['webcal', 'google', 'microsoft'];
  if (/Windows/.test(userAgent)) return ['microsoft', 'webcal', 'google'];
  return ['google', 'webcal', 'microsoft'];
}

/** The three ways to subscribe to a feed. */
export function CalendarLinks({ feed, onUse }: { feed: CalendarFeed; onUse?: (() => void) | undefined }) {
  const address = feedUrl(feed);
  const copyForGoogle = async () => {
    if (await copyText(address)) {
      showToast({
        title: t('calendarLinkCopied'),
        text: t('calendarLinkCopiedText'),
      });
    } else {
      showToast({ title: t('copyTheCalendarLink'), text: t('copyTheCalendarLinkText') });
    }
  };
  const links: Record<App, ReactNode> = {
    webcal: (
      <AppLink
        href={webcalLink(address)}
        app={t('apple')}
        text={t(isAndroid() ? 'appleTextOnAndroid' : 'appleText')}
        onClick={onUse}
      />
    ),
    microsoft: (
      <AppLink
        href={microsoftLink(address, feedName(feed))}
        app={t('microsoft365')}
        text={t('microsoft365Text')}
        onClick={onUse}
        newTab
      />
    ),
    google: (
      <AppLink
        href={googleAddByUrlPage}
        app={ofCalendar('googleCalendar')}
        text={t('googleCalendarText')}
        onClick={() => {
          onUse?.();
          void copyForGoogle();
        }}
        newTab
      />
    ),
  };
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line">
      {appsFor(navigator.userAgent).map((app) => (
        <li key={app}>{links[app]}</li>
      ))}
    </ul>
  );
}

type AppLinkProps = {
  href: string;
  app: string;
  text: string;
  newTab?: boolean;
  onClick?: (() => void) | undefined;
};

function AppLink({ href, app, text, newTab = false, onClick }: AppLinkProps) {
  const Arrow = newTab ? ExternalLink : ChevronRight;
  return (
    <a
      href={href}
      onClick={onClick}
      {...(newTab ? { target: '_blank', rel: 'noopener noreferrer' } : {})}
      className="flex min-h-14 items-center gap-3 px-4 py-3 transition-colors hover:bg-sunken focus-visible:-outline-offset-2"
    >
      <CalendarPlus aria-hidden className="size-5 shrink-0 text-accent" />
      <span className="min-w-0 flex-1">
        <span className="block font-semibold">{app}</span>
        <span className="block text-sm text-muted">{text}</span>
      </span>
      <Arrow aria-hidden className="size-4.5 shrink-0 text-muted" />
    </a>
  );
}
