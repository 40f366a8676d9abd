import type { Config } from '#platform/config.ts';
import type { EmailContent } from '#platform/mail/message.ts';
import type { Attach } from '#platform/notices/send.ts';
import { inLook } from '#wire/look.ts';
import {
  fileEntries,
  lockReader,
  wantsInvitations,
  type FileEntry,
} from '#features/calendar/file-queries.ts';
import { t as ofFeeds } from '#features/calendar/feed-messages.ts';
import { t } from '#features/calendar/mail-messages.ts';
import { clubFeedPath, eventFile, googleAddByUrlPage, personalFeedPath } from '#features/calendar/rules.ts';
import { recordFiles } from '#features/calendar/store.ts';
import { emptyEventFields } from '#features/events/field-contract.ts';
import type { EventSnapshot } from '#features/events/notice-queries.ts';

interface FeedLink {
  /** Undefined for the personal feed. */
  club_id: string | undefined;
  club_name: string | null;
  secret: string;
}

/** The link of a feed, with the steps to subscribe on a computer. Google Calendar on Android cannot subscribe. */
export function feedLinkEmail(
  { productName, publicUrl }: Config,
  { club_id, club_name, secret }: FeedLink,
): EmailContent {
  const path = club_id === undefined ? personalFeedPath(secret) : clubFeedPath(club_id, secret);
  const calendar = club_name ?? ofFeeds('myEvents', { productName });
  return {
    subject: t('linkSubject', { calendar }),
    preview: t('linkPreview'),
    paragraphs: [
      t('linkText', { calendar }),
      t('linkCopy', { url: publicUrl + path }),
      t('linkPaste'),
      t('linkThen'),
    ],
    action: { label: t('openGoogle'), url: googleAddByUrlPage },
    footer: t('linkReason', { product: productName }),
  };
}

/** A calendar file that a notice asks for. `event` is an id, or a snapshot of a deleted or withdrawn event. */
interface NoticeFile {
  event: string | EventSnapshot;
  as: 'added' | 'cancelled' | 'withdrawn';
  /** Attach the file only if the reader was sent a file of the event before. */
  ifSent?: boolean;
}

/**
 * Creates the calendar files of an email. Omits events that a calendar app of the reader fetches in a feed, unless the
 * reader was sent an invitation to them. Only invitations have a method (RFC 5546), because calendar apps apply a file
 * with a method automatically.
 */
export const attachFiles =
  (config: Config): Attach =>
  async (db, { user_id, email, setting, look, now }, named) => {
    const files = named as readonly NoticeFile[];
    const ids = files.flatMap(({ event }) => (typeof event === 'string' ? [event] : []));
    if (ids.length > 0) await lockReader(db, user_id, ids);
    const entries = new Map((await fileEntries(db, user_id, ids, now)).map((entry) => [entry.id, entry]));
    const wanted = files.flatMap((file) => {
      const entry = typeof file.event === 'string' ? entries.get(file.event) : entryOf(file.event, file.as);
      return entry && isWanted(entry, file) ? [{ entry, ifSent: file.ifSent ?? false }] : [];
    });
    const organizer = config.calendarOrganizer;
    const isInvited = ({ invited }: FileEntry) => organizer !== undefined && invited;
    const isFetched = wanted.some(({ entry }) => entry.in_feed && !isInvited(entry));
    const invitesFirst = organizer !== undefined && (await wantsInvitations(db, user_id));
    const carried = wanted
      .filter(({ entry, ifSent }) => !ifSent || entry.has_file)
      .filter(({ entry }) => !entry.in_feed || isInvited(entry))
      .map(({ entry }) => ({ entry, isInvitation: isInvited(entry) || invitesFirst }));
    await recordFiles(
      db,
      user_id,
      carried
        .filter(({ entry }) => !entry.deleted_at)
        .map(({ entry, isInvitation }) => ({ event: entry.id, setting, invited: isInvitation })),
    );
    const attachments = carried.map(({ entry, isInvitation }) => {
      const method = entry.deleted_at ? ('CANCEL' as const) : ('REQUEST' as const);
      return {
        filename: `${entry.slug}.ics`,
        contentType: `text/calendar; charset=utf-8${isInvitation ? `; method=${method}` : ''}`,
        content: inLook(look, () =>
          eventFile(
            config,
            entry,
            isInvitation ? { attendee: email, organizer: organizer ?? '' } : undefined,
          ),
        ),
        ...(isInvitation && { method }),
      };
    });
    return { attachments, isFetched };
  };

/** An event does not belong in a calendar while members vote on its time, or after a 'no'. */
const isWanted = ({ polling, answer, has_answered }: FileEntry, { as }: NoticeFile): boolean =>
  !polling && (as !== 'added' || (answer ?? 'no') !== 'no' || !has_answered);

/** An event that was deleted or withdrawn. It has no details, because the reader may have lost access to them. */
function entryOf(event: EventSnapshot, as: NoticeFile['as']): FileEntry {
  const reader_changed_at = event.reader_changed_at ?? event.updated_at;
  const entry = {
    ...emptyEventFields,
    ...event,
    reader_changed_at,
    guests: 0,
    in_feed: false,
    has_file: true,
    has_answered: true,
    invited: event.invited ?? false,
  };
  if (as === 'withdrawn') return { ...entry, answer: 'no', deleted_at: reader_changed_at };
  // Deleting a club deletes its events without cancelling them first, so the cancellation is made here.
  return event.deleted_at
    ? entry
    : {
        ...entry,
        deleted_at: reader_changed_at,
        updated_at: reader_changed_at,
        sequence: event.sequence + 1,
      };
}
