import { CalendarPlus, CalendarSync, Download, ExternalLink } from 'lucide-react';
import { Suspense, useState } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { saveFile } from '#web/save-file.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useUser } from '#web/useSession.ts';
import { showToast } from '#web/copy.ts';
import { eventPath, googleEventLink, outlookEventLink } from '#features/calendar/rules.ts';
import type { Event } from '#features/events/contract.ts';
import { Button } from '#ui/Button.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '#ui/Menu.tsx';
import { t } from '#features/calendar/messages.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

const CalendarDialog = lazyPart(() =>
  import('./CalendarDialog.tsx').then((module) => ({ default: module.CalendarDialog })),
);

/** Adds a single event to a calendar, or opens the dialog to subscribe to the personal feed. */
export function AddToCalendar({ event, className }: { event: Event; className?: string }) {
  const secret = useUser().ical_feed_url_id;
  const [subscribing, setSubscribing] = useState(false);
  const download = useDownload(event.slug);
  return (
    <>
      <Menu
        align="start"
        className="w-76"
        trigger={
          <Button variant="secondary" className={className}>
            <CalendarPlus aria-hidden />
            {t('addToCalendar')}
          </Button>
        }
      >
        <MenuLabel>{t('onceOnly')}</MenuLabel>
        <WebCalendarLinks event={event} />
        <MenuItem icon={Download} className="offline:hidden" onSelect={() => download.mutate()}>
          {t('downloadIcs')}
        </MenuItem>
        <MenuSeparator />
        <MenuLabel>{t('keptUpToDate')}</MenuLabel>
        <MenuItem icon={CalendarSync} onSelect={() => setSubscribing(true)}>
          {t('myCalendar')}
        </MenuItem>
      </Menu>
      {subscribing && (
        <Suspense>
          <CalendarDialog open onOpenChange={setSubscribing} feed={{ kind: 'personal', secret }} />
        </Suspense>
      )}
    </>
  );
}

/** Rendered in the browser only, when the menu is open, because it needs `window`. */
function WebCalendarLinks({ event }: { event: Event }) {
  const url = window.location.origin + eventPath(event.slug);
  return (
    <>
      <MenuItem asChild>
        <a href={googleEventLink(event, url)} target="_blank" rel="noopener noreferrer">
          <ExternalLink aria-hidden />
          {t('googleCalendar')}
        </a>
      </MenuItem>
      <MenuItem asChild>
        <a href={outlookEventLink(event, url)} target="_blank" rel="noopener noreferrer">
          <ExternalLink aria-hidden />
          {t('outlook')}
        </a>
      </MenuItem>
    </>
  );
}

const useDownload = (slug: string) =>
  useSubmit({
    mutationFn: () => api.calendar.oneEvent({ event: slug }),
    onSuccess: (document) => saveFile(`${slug}.ics`, new Blob([document], { type: 'text/calendar' })),
    onError: (failure) => showToast({ title: t('fileNotDownloaded'), text: explain(failure) }),
  });
