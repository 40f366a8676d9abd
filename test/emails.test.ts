import { mkdir, rm, writeFile } from 'node:fs/promises';
import { chromium, type Browser, type Page } from '@playwright/test';
import sharp from 'sharp';
import type { Email } from 'postal-mime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { first, inTransaction, run, sql } from '#platform/db/client.ts';
import { notices, type AnyNotice } from '#platform/notices/notice.ts';
import { raise } from '#platform/notices/raise.ts';
import { addSeconds } from '#wire/instant.ts';
import { onlyUsers } from '#features/members/queries.ts';
import { launchOptions } from '#e2e/browser.ts';
import { noticeCases } from '#test/notice-cases.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

/** `npm run emails` sets the folder to which each email is written, with its pictures. */
const folder = process.env['EMAILS'];

const languages = ['en', 'de'] as const;
const clubName = 'Chor der Linde';
const details = 'Bring your folder and a pencil.\n\nThe code of the door is 4711: https://example.org/door';
const longWord = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';

interface Sample {
  name: string;
  language: (typeof languages)[number];
  mail: Email;
}
const samples: Sample[] = [];

let w: World;
let browser: Browser;

/** A fresh club of Maria's, with Ben as the reader, and one event. */
async function scene(language: Sample['language']) {
  await run(w.db, sql`delete from rate_limits`);
  const [ada, bob] = [await w.person('Maria', 'Lind'), await w.person('Ben', 'Okafor')];
  await run(w.db, sql`update users set language = ${language} where id = ${bob.id}`);
  const club = await w.club([ada, bob], clubName);
  const event = await w.event(club, ada, {
    name: 'Stretch and tea',
    location_name: 'Probenraum, Lindenstraße 12',
    description: 'Easy pace, see https://example.org/route',
    details,
    startsIn: 72,
    lasts: 2,
  });
  return { w, ada, bob, club, event };
}
type Scene = Awaited<ReturnType<typeof scene>>;

const raiseTo = (kind: string, facts: Record<string, unknown>, { bob, ada }: Scene) => {
  const notice = notices.find((each) => each.kind === kind) as AnyNotice;
  return inTransaction(w.db, (db) =>
    raise(db, notice, { facts: notice.facts.parse(facts), actor: ada.id, now: w.now() }, onlyUsers(bob.id)),
  );
};

const kinds = Object.keys(noticeCases({} as Scene));

/** Emails that are about neither one event nor one series. */
const withoutEvent = [
  'role_changed',
  'handover',
  'handover_answered',
  'member_removed',
  'member_joined',
  'left',
  'club_update',
  'update_important',
  'club_deleted',
  'update-with-pictures',
  'weekly-email',
  'weekly-email-of-two-clubs',
  'login-code',
  'email-change-code',
  'export-code',
  'deletion-code',
];

/** What causes an email to Ben, by the name of the email. */
const causes: Record<string, (scene: Scene) => Promise<unknown>> = {
  ...Object.fromEntries(
    kinds.map((kind) => [
      kind,
      async (at: Scene) => raiseTo(kind, (await noticeCases(at)[kind]?.(at.event.id, 1)) ?? {}, at),
    ]),
  ),
  'new-time-to-confirm': async ({ ada, bob, club, event }) => {
    await bob.api.answers.attend({ event: event.id });
    await forget();
    const { start_time } = await ada.api.events.get({ event: event.id });
    await ada.api.events.edit({
      event: event.id,
      club: club.id,
      start_time: addSeconds(start_time, 25 * 3600),
      location_name: 'Kirche',
      description: longWord,
      reason: 'venue',
      words: 'The hall is flooded',
      ask_again: true,
    });
  },
  'nudge-to-confirm': async (at) => {
    const { ada, bob, club, event } = at;
    await bob.api.answers.attend({ event: event.id });
    await ada.api.events.edit({ event: event.id, club: club.id, location_name: 'Kirche', ask_again: true });
    await forget();
    await raiseTo('answer_wanted', { event_id: event.id, list: 'unconfirmed' }, at);
  },
  poll: ({ ada, club }) => w.poll(club, ada, { name: longWord, description: 'What suits you?' }),
  series: ({ ada, club }) => plan(ada, club, false),
  'series-of-everybody': async ({ ada, club }) => {
    const [first_on, last_on] = [2, 9].map((days) => addSeconds(w.now(), days * 86_400).slice(0, 10));
    await ada.api.series.saveBreaks({
      club: club.id,
      breaks: [{ first_on: first_on ?? '', last_on: last_on ?? '', name: 'Holidays' }],
    });
    await plan(ada, club, true);
  },
  'series-moved': async ({ ada, bob, club }) => {
    const { id } = await plan(ada, club, false);
    await bob.api.series.standing({ series: id, answer: 'going', guests: 0 });
    await forget();
    await ada.api.series.edit({ series: id, local_time: '20:15', location_name: 'Kirche' });
  },
  'series-ended': async ({ ada, bob, club }) => {
    const { id } = await plan(ada, club, false);
    await bob.api.series.standing({ series: id, answer: 'going', guests: 0 });
    await forget();
    await ada.api.series.end({ series: id });
  },
  'update-with-pictures': async ({ ada, club }) => {
    const square = sharp({ create: { width: 900, height: 600, channels: 3, background: '#4c6a1c' } });
    const file = new Blob([new Uint8Array(await square.png().toBuffer())], { type: 'image/png' });
    const { name } = await ada.api.media.addToUpdate({ club: club.id, file });
    const content = `Dear all,\n\nthe boats are back, see https://example.org/boats?a=1&b=2.\n${longWord}`;
    await ada.api.updates.publish({ club: club.id, content, pictures: [name] });
  },
  'message-with-pictures': async ({ ada, bob, club, event }) => {
    await bob.api.answers.attend({ event: event.id });
    await forget();
    const square = sharp({ create: { width: 900, height: 600, channels: 3, background: '#4c6a1c' } });
    const file = new Blob([new Uint8Array(await square.png().toBuffer())], { type: 'image/png' });
    const { name } = await ada.api.media.addToUpdate({ club: club.id, file });
    const content = `Dear all,\n\nwe meet at the north gate, see https://example.org/gate?a=1&b=2.\n${longWord}`;
    await ada.api.updates.sendMessage({ event: event.id, content, pictures: [name], to: ['going'] });
  },
  'weekly-email': async ({ ada, bob, club }) => {
    await bob.api.notifications.saveSettings({ weekly_email: true });
    await w.event(club, ada, { name: longWord, location_name: longWord, startsIn: 90, lasts: 2 });
    await w.event(club, ada, { name: 'Summer concert', startsIn: 24 * 20 });
    const content = `Bring your pencil.\n\nSee https://example.org/folder. ${longWord} `;
    await ada.api.updates.publish({ club: club.id, content: content.repeat(3) });
    await sendWeekly(bob);
  },
  'weekly-email-of-two-clubs': async ({ ada, bob, club }) => {
    const other = await w.club([ada, bob], longWord);
    await run(w.db, sql`update members set club_role = 200 where user_id = ${bob.id}`);
    await bob.api.notifications.saveSettings({ weekly_email: true });
    const { invite_link } = await ada.api.invites.create({ club_id: other.id });
    for (const name of ['Anna', 'Ben', 'Cleo'])
      await (await w.person(name, 'Lind')).api.invites.join({ invite: invite_link });
    for (let nth = 1; nth <= 14; nth++) {
      await run(w.db, sql`delete from rate_limits`);
      await ada.api.updates.publish({
        club: club.id,
        content: `Rehearsal ${nth}: please bring your folder.`,
      });
    }
    await sendWeekly(bob);
  },
  'login-code': ({ bob }) => w.anyone.auth.login({ email: bob.email }),
  'email-change-code': ({ bob }) => bob.api.auth.sendCode({ purpose: 'email_change' }),
  'export-code': ({ bob }) => bob.api.auth.sendCode({ purpose: 'export' }),
  'deletion-code': ({ bob }) => bob.api.auth.sendCode({ purpose: 'deletion' }),
};

const plan = (ada: Person, club: ClubHandle, everybody: boolean) =>
  ada.api.series.plan({
    club: club.id,
    name: 'Chorprobe',
    location_name: 'Probenraum, Lindenstraße 12',
    description: 'We sing Brahms.',
    freq: 'weekly',
    weekdays: [new Date(addSeconds(w.now(), 86_400)).getUTCDay() || 7],
    local_time: '19:30',
    minutes: 90,
    starts_on: addSeconds(w.now(), 86_400).slice(0, 10),
    count: 3,
    everybody,
  });

/** Makes the weekly email of a person due. */
async function sendWeekly({ id }: Person): Promise<void> {
  await run(w.db, sql`update weekly_emails set next_at = now() where user_id = ${id}`);
  await run(w.db, sql`select enqueue_job('enqueue_weekly_emails', '{}')`);
}

/** Drops the emails that are not due yet. */
const forget = () => run(w.db, sql`delete from notice_emails where sent_at is null`);

const unsent = sql`
  select from jobs where name in ('send_notice', 'send_email', 'continue_notices', 'enqueue_weekly_emails', 'send_weekly_email') and (run_at <= now() or attempts > 0)
  union all select from notice_emails where sent_at is null`;

beforeAll(async () => {
  w = await world();
  browser = await chromium.launch(await launchOptions());
  for (const language of languages)
    for (const [name, cause] of Object.entries(causes)) {
      const at = await scene(language);
      const ofBen = async () => (await w.outbox()).filter(({ to }) => to?.[0]?.address === at.bob.email);
      await forget();
      const before = (await ofBen()).length;
      await cause(at);
      await w.hurry();
      await vi.waitFor(async () => {
        if (await first(w.db, unsent)) throw new Error(`${name} was not sent`);
      }, 30_000);
      if ((await ofBen()).length === before) throw new Error(`${name} was dropped`);
      samples.push({ name, language, mail: (await ofBen()).at(-1) as Email });
    }
  if (folder) await rm(folder, { recursive: true, force: true });
}, 240_000);
afterAll(async () => {
  await browser.close();
  await w[Symbol.asyncDispose]();
});

const htmlOf = ({ mail }: Sample): string => mail.html ?? '';

/** Runs `work` in a page with each email, in a window of this width and color scheme. */
async function inBrowser<T>(
  colorScheme: 'light' | 'dark',
  width: number,
  work: (page: Page, sample: Sample) => Promise<T>,
): Promise<T[]> {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 700 } });
  // No picture is requested.
  await page.route(/^http/, (route) => route.abort());
  const results = [];
  for (const sample of samples) {
    await page.setContent(htmlOf(sample));
    results.push(await work(page, sample));
  }
  await page.close();
  return results;
}

const channel = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const luminance = (colour: string) => {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) =>
    channel(Number(part) / 255),
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const contrast = (one: string, other: string) => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

/** The grounds of mail programs in light and in dark mode: white, #121212 and #1c1c1e. */
const grounds = {
  light: ['rgb(255, 255, 255)'],
  dark: ['rgb(18, 18, 18)', 'rgb(28, 28, 30)'],
};

/** The colour of each text and its ground, and each border and filled area beside its ground. */
const coloursIn = `(() => {
  const transparent = 'rgba(0, 0, 0, 0)';
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (backgroundColor !== transparent) return backgroundColor;
    }
    return 'none';
  };
  const texts = [], shapes = [];
  for (const element of document.body.querySelectorAll('*')) {
    if (!element.checkVisibility() || element.getClientRects().length === 0) continue;
    const style = getComputedStyle(element);
    if ([...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
      texts.push({ text: element.textContent.trim().slice(0, 40), colour: style.color, ground: groundOf(element) });
    const outside = element.parentElement && groundOf(element.parentElement);
    const isAction = element.tagName === 'TD' && element.querySelector(':scope > a');
    if (isAction && style.backgroundColor !== transparent)
      shapes.push({ text: element.textContent.trim(), colour: style.backgroundColor, ground: outside });
    if (isAction || element.tagName === 'TABLE')
      if (style.borderTopWidth !== '0px')
        shapes.push({ text: element.textContent.trim(), colour: style.borderTopColor, ground: outside });
  }
  return { texts, shapes };
})()`;

interface Pair {
  text: string;
  colour: string;
  ground: string;
}

test('every kind of notice is among the emails of this file', () => {
  expect(notices.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted());
  expect(new Set(samples.map(({ name }) => name)).size).toBe(Object.keys(causes).length);
});

describe('every email', () => {
  test.each(['light', 'dark'] as const)(
    'has a contrast of 4.5 for text and 3 for buttons and tiles in %s mode, on all grounds of mail programs [MAILUX-02 LOOKUX-01]',
    async (scheme) => {
      const bad = await inBrowser(scheme, 600, async (page, { name, language }) => {
        const { texts, shapes } = await page.evaluate<{ texts: Pair[]; shapes: Pair[] }>(coloursIn);
        expect(texts.length).toBeGreaterThan(3);
        const tooLow = (pairs: Pair[], min: number) =>
          pairs.flatMap(({ text, colour, ground }) => {
            // A mail program may replace the white and black grounds, so the text has to suit all of them.
            const isPlain = grounds.light.includes(ground) || grounds.dark.includes(ground);
            const lowest = Math.min(
              ...(isPlain ? [ground, ...grounds[scheme]] : [ground]).map((each) => contrast(colour, each)),
            );
            return lowest < min ? [{ name, language, text, colour, ground, lowest }] : [];
          });
        return [...tooLow(texts, 4.5), ...tooLow(shapes, 3)];
      });
      expect(bad.flat()).toEqual([]);
    },
  );

  test('fits into 320 pixels, also with a long word [MAILUX-02]', async () => {
    const widths = await inBrowser('light', 320, async (page, { name, language }) => {
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      return { name, language, width };
    });
    expect(widths.filter(({ width }) => width > 320)).toEqual([]);
  });

  test('about an event names the club, and then shows date, title, time, place and the answers before any other text [MAILUX-01]', async () => {
    const heads = await inBrowser('light', 600, async (page, { name, mail }) => {
      if (withoutEvent.includes(name)) return [];
      const text = await page.evaluate<string>('document.body.innerText');
      const lines = text.split(/\s*[\n\t]\s*/).filter(Boolean);
      const buttons = await page.locator('td > a').allInnerTexts();
      const isVote = name === 'poll';
      const tile = isVote ? /^\?$/ : /^\w{3,4}\.?$/;
      const [initials, club, month, ...rest] = lines;
      expect([name, initials, club, month]).toEqual([name, 'CL', clubName, expect.stringMatching(tile)]);
      const firstButton = buttons[0] ? rest.indexOf(buttons[0]) : -1;
      const title = rest.findIndex((line) => /^(Stretch and tea|Chorprobe|Donau\S+)$/.test(line));
      const place = rest.findIndex((line) => /Lindenstraße|Kirche|Hall 1|Pier \d/.test(line));
      expect([name, title >= 0, place > title]).toEqual([name, true, true]);
      const hasChoices = /\/answer\/|Pick your times|Wann passt es dir/.test(mail.text ?? '');
      if (hasChoices) {
        // Only the place, perhaps an old and a new one, and the question are in between.
        expect([name, firstButton - place]).toEqual([name, expect.toSatisfy((n) => n === 2 || n === 3)]);
        for (const [n, label] of buttons.entries())
          expect([name, rest[firstButton + n]]).toEqual([name, label]);
      }
      return [name];
    });
    expect(heads.flat()).toHaveLength(2 * (Object.keys(causes).length - withoutEvent.length));
  });

  test('has a text part that says the same as its HTML, in the same order [MAILUX-01]', async () => {
    await inBrowser('light', 600, async (page, { name, mail }) => {
      const text = (mail.text ?? '').replaceAll(/\s+/g, ' ');
      const hrefs = await page
        .locator('a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
      for (const href of hrefs) expect([name, text]).toEqual([name, expect.stringContaining(href ?? '')]);
      const paragraphs = await page.locator('p, h1, h2, h3').allInnerTexts();
      let at = 0;
      for (const line of paragraphs.flatMap((each) => each.split('\n')).map((each) => each.trim())) {
        if (line === '' || line === 'Muster') continue;
        const wanted = line.replace(/^(Was|Now|Bisher|Jetzt) /, '$1: ').replaceAll(/\s+/g, ' ');
        const found = text.indexOf(wanted, at);
        expect([name, wanted, found >= at]).toEqual([name, wanted, true]);
        at = found + wanted.length;
      }
    });
  });

  test('is sent in the name of its club [MAILUX-01 MAILUX-07]', () => {
    for (const { name, language, mail } of samples) {
      const via = language === 'de' ? 'über' : 'via';
      const isOfMuster = name.endsWith('-code') || name.endsWith('-of-two-clubs');
      const sender = isOfMuster ? 'Muster' : `${clubName} ${via} Muster`;
      expect([name, mail.from?.name]).toEqual([name, sender]);
    }
  });

  test('has a viewport, names its language, and has no element that mail programs remove [MAILUX-02]', () => {
    for (const sample of samples) {
      const html = htmlOf(sample);
      expect(html).toContain('<meta name="viewport" content="width=device-width,initial-scale=1">');
      expect(html).toContain(`<html lang="${sample.language}">`);
      expect(html).not.toMatch(/<(script|form|input|button|svg|link)\b/);
      expect(html.match(/<!--\[if mso\]><table[^>]* width="560"/g)).toHaveLength(1);
    }
  });
});

/** The emails with one name, in each language. */
const both = (name: string) =>
  languages.map((language) => {
    const sample = samples.find((each) => each.name === name && each.language === language);
    return sample?.mail as Email;
  });

test('subjects of new events, cancellations, moves, reminders and nudges contain the date; a poll has none [MAILUX-03 TIME-09]', () => {
  const day = {
    en: /\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} \w{3}\b/,
    de: /\b(Mo|Di|Mi|Do|Fr|Sa|So)\., \d{1,2}\. \p{L}+/u,
  };
  const dated = ['new_event', 'new_series', 'event_cancelled', 'event_updated', 'new-time-to-confirm'];
  for (const name of [
    ...dated,
    'series',
    'series-of-everybody',
    'event_reminder',
    'answer_wanted',
    'nudge-to-confirm',
  ])
    for (const [n, { subject }] of both(name).entries())
      expect([name, subject]).toEqual([name, expect.stringMatching(day[languages[n] ?? 'en'])]);
  expect(both('event_updated').map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^Moved: Stretch and tea, \w{3} \d+ \w{3} → Hall 1$/),
    expect.stringMatching(/^Verlegt: Stretch and tea, \w{2}\., \d+\. \S+ → Hall 1$/),
  ]);
  expect(both('event_cancelled')[0]?.subject).toMatch(/^Cancelled: Stretch and tea, \w{3} \d+ \w{3}$/);
  expect(both('poll').map(({ subject }) => subject)).toEqual([
    `Which time suits you? ${longWord}`,
    `Wann passt es dir? ${longWord}`,
  ]);
});

test('a move sets the old and the new values apart, and asks beside the answers whether the reader can still come [MAILUX-04 TIME-09]', () => {
  const [english, german] = both('new-time-to-confirm');
  expect(english?.text).toMatch(
    /\nWas: .*\nNow: .*\n\nWas: Probenraum, Lindenstraße 12\nNow: Kirche\n\nCan you still come\?\n\nGoing:\nhttp/,
  );
  expect(german?.text).toMatch(
    /\nBisher: .*\nJetzt: .*\n\nBisher: Probenraum, Lindenstraße 12\nJetzt: Kirche\n\nKannst du trotzdem kommen\?\n\nZusagen:\nhttp/,
  );
  expect(english?.html).toMatch(/<s [^>]*>Probenraum, Lindenstraße 12<\/s>/);
  expect(both('nudge-to-confirm')[0]?.text).toMatch(/\n\nCan you still come\?\n\nGoing:\nhttp/);
});

test('an update names its author, shows its pictures and links its addresses; a reminder contains the details [MAILUX-05]', () => {
  const [update] = both('update-with-pictures');
  expect(update?.text).toContain('Maria Lind published an update in Chor der Linde.');
  expect(update?.html).toMatch(
    /<img src="http:\/\/muster\.test\/api\/v1\/media\/[\w-]{22}-1600\.webp" width="518" height="345" alt="Picture 1"/,
  );
  expect(update?.html).toMatch(
    /<a href="https:\/\/example\.org\/boats\?a=1&amp;b=2" [^>]*>https:\/\/example\.org\/boats\?a=1&amp;b=2<\/a>\./,
  );
  expect(update?.text).toMatch(/Picture 1:\nhttp:\/\/muster\.test\/api\/v1\/media\//);
  const [reminder] = both('event_reminder');
  expect(reminder?.text).toContain('Bring your folder and a pencil.\n\nThe code of the door is 4711');
  for (const mail of samples.filter(({ name }) => name !== 'event_reminder'))
    expect([mail.name, mail.mail.text?.includes('4711')]).toEqual([mail.name, false]);
});

/** The answers that an email links to, and their labels. */
const links = (mail?: Email) =>
  [...(mail?.text ?? '').matchAll(/\n(.+):\nhttp\S+\/answer\/[\w-]{64}\?a=(\w+)/g)].map(
    ([, label, answer]) => [answer, label],
  );

test('the email of a new series has a link for every date and one for the first date alone, and each names its days [HOSTUX-09 LINK-01 STAND-10]', () => {
  const [english, german] = both('series');
  expect(links(english)).toEqual([
    ['every', expect.stringMatching(/^Every \w+day: going$/)],
    ['going', expect.stringMatching(/^Just \d+ \w{3}: going$/)],
    ['maybe', expect.stringMatching(/^Maybe on \d+ \w{3}$/)],
    ['no', expect.stringMatching(/^Can't go on \d+ \w{3}$/)],
  ]);
  expect(links(german).map(([, label]) => label)).toEqual([
    expect.stringMatching(/^Jeden \w+ zusagen$/),
    expect.stringMatching(/^Nur am \d+\. \S+ zusagen$/),
    expect.stringMatching(/^Am \d+\. \S+ vielleicht$/),
    expect.stringMatching(/^Am \d+\. \S+ absagen$/),
  ]);
  // Who already goes to every date can only take this date out.
  expect(links(both('series-of-everybody')[0]).map(([answer]) => answer)).toEqual(['maybe', 'no']);
});

test('the email of a series that everyone attends says first how it repeats, its end and its breaks, and that the reader is going [STAND-10 MAILUX-01]', () => {
  const [english, german] = both('series-of-everybody');
  expect(english?.text).toMatch(
    /\nRepeats: Every \w+day, .+, until \d+ \w+.*\nBreak: Holidays: no dates from .+ to .+\nWhen: .+\n(Where: .+\n)?\nYou're going unless you say no\.\n/,
  );
  expect(german?.text).toMatch(
    /\nWiederholung: Jeden \w+, .+, bis \d+\. \p{L}+.*\nPause: Holidays: keine Termine von .+ bis .+\nWann: .+\n(Wo: .+\n)?\nDu bist dabei, solange du nicht absagst\.\n/u,
  );
});

test.runIf(folder)(
  'writes each email and its pictures to the folder of `npm run emails`',
  async () => {
    await mkdir(folder ?? '', { recursive: true });
    for (const { name, language, mail } of samples) {
      await writeFile(`${folder}/${name}.${language}.html`, mail.html ?? '');
      await writeFile(
        `${folder}/${name}.${language}.txt`,
        `From: ${mail.from?.name}\nSubject: ${mail.subject}\n\n${mail.text}`,
      );
    }
    for (const scheme of ['light', 'dark'] as const)
      for (const width of [320, 600])
        await inBrowser(scheme, width, async (page, { name, language }) => {
          await page.screenshot({
            path: `${folder}/${name}.${language}.${width}-${scheme}.png`,
            fullPage: true,
          });
        });
  },
  300_000,
);
