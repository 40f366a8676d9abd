import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { isLanguage, type Language } from '#languages/languages.ts';
import type { SavedAbsence } from '#features/events/absences/contract.ts';
import type { LinkedAnswer } from '#features/events/answers/contract.ts';
import type { Prerender } from '#app/ssr.ts';
import type { AnswerForm, AnswerView } from '#app/web/pages/answer/sentences.ts';
import type { Choice } from '#features/events/choice-contract.ts';

type Step = (page: Page, subject: string, value: string) => Promise<unknown>;

/** Dialogs and menus in front of the page. */
export const inFront = '[role=dialog], [role=alertdialog], [role=menu]';

const prerenderer = new URL('../../dist/server/prerender.js', import.meta.url).href;

const photo = readFileSync('src/app/web/public/icons/icon-512.png');

/** An address of the maximum length. */
export const longAddress = `${'countess-of-lovelace-'.repeat(3)}@analytical-engines.example.org`;

/** A name, or a pattern between slashes. */
function pattern(text: string): string | RegExp {
  const [, source, flags] = /^\/(.+)\/(i?)$/.exec(text) ?? [];
  return source === undefined ? text : new RegExp(source, flags);
}

/** Responds to calls like `POST /v1/…`, where `*` is a wildcard, with this JSON. */
function respond(page: Page, call: string, data: object, status = 200) {
  const [method, path] = call.split(' ');
  const body = JSON.stringify({ data, status, error: null });
  return page.route(`**/api${path}`, (route) =>
    route.request().method() === method ? route.fulfill({ status, body }) : route.fallback(),
  );
}

/** Responds to requests about the link that reverts a change of the email address. */
const revertLink = (is_changed: boolean, status?: number) => (page: Page) => {
  const emails = { old_email: 'ada@example.org', new_email: longAddress };
  const data = { ...emails, is_changed, ends_at: '2026-12-01T10:00:00.000Z' };
  return respond(page, 'GET /v1/users/email/revert/*', data, status);
};

/** Adds a pending email change to the responses of these calls. */
const pendingEmail = (method: 'GET' | 'PATCH') => (page: Page) =>
  page.route('**/api/v1/users', async (route) => {
    if (route.request().method() !== method) return route.fallback();
    const response = await route.fetch({ method: 'GET' });
    const { data, ...envelope } = (await response.json()) as { data: object };
    const json = { ...envelope, data: { ...data, pending_email: longAddress } };
    return route.fulfill({ response, json });
  });

const event = {
  slug: 'run',
  name: 'Tuesday run',
  owner_club_id: 'rowers',
  club_name: 'Harbour Rowers',
  location_name: 'Pier 3',
};
const times = { start_time: '2026-11-24T18:00:00.000Z', end_time: '2026-11-24T19:30:00.000Z' };
const answer = { first_name: 'Bob', my_role: null, my_answer: null, my_guests: 0, my_place: null };
const limits = {
  guests_max: 2,
  seats_left: null,
  waiting_count: 0,
  closed: false,
  time_zone: 'Europe/Berlin',
};
const choices: Choice[] = ['going', 'maybe', 'no'];
const closed = { guests_max: 0, closed: true };

const inLanguage = (view: AnswerForm, language: Language): AnswerForm => ({
  ...view,
  link: { ...view.link, reader: { ...view.link.reader, language } },
});

const reader = { language: 'en', clock: 'auto', time_zone: null } as const;

/** Serves the page of a link in an email, rendered as on the server. */
const formPage =
  (path: string, render: (prerender: Prerender, language: Language) => { title: string; html: string }) =>
  async (page: Page) => {
    const code = await page.evaluate<string>('navigator.language.slice(0, 2)');
    const prerender = (await import(prerenderer)) as Prerender;
    await prerender.markup({ productName: 'Muster' });
    const template = readFileSync('dist/web/answer.html', 'utf8');
    const { title, html } = render(prerender, isLanguage(code) ? code : 'en');
    const body = template.replace('<!--title-->', title).replace('<!--page-->', () => html);
    await page.route(`**${path}*`, (route) => route.fulfill({ contentType: 'text/html', body }));
  };

/** The page of an answer link with this data. */
const answerPage = (view: AnswerView) =>
  formPage('/answer/x', ({ renderAnswer }, language) =>
    renderAnswer('link' in view ? inLanguage(view, language) : view, language),
  );

/** The page of a read link, which the member has followed or not. */
const readLink = (my_read_at: string | null) =>
  formPage('/read/x', ({ renderRead }, language) =>
    renderRead(
      {
        link: {
          club_id: event.owner_club_id,
          club_name: event.club_name,
          club_slug: 'rowers',
          created_at: '2026-11-20T10:00:00.000Z',
          first_line: 'The slipway is closed until Friday. Please use the north gate.',
          my_read_at,
          reader: { ...reader, language },
        },
        isSaved: my_read_at !== null,
      },
      language,
    ),
  );

const answerLink = (state: Partial<LinkedAnswer>, more: Omit<AnswerForm, 'link'> = {}) =>
  answerPage({
    link: {
      ...event,
      ...times,
      ...answer,
      ...limits,
      reader,
      choices,
      repeats: null,
      my_standing: null,
      ...state,
    },
    ...more,
  });

const fetches = (['google', 'apple', 'outlook', 'other'] as const).map((app, days) => ({
  club_id: null,
  app,
  fetched_at: new Date(Date.now() - (days * 24 + 3) * 3_600_000).toISOString(),
}));

const goingTo = { club_name: event.club_name, start_time: times.start_time, time_zone: 'Europe/Berlin' };
const savedAbsence: SavedAbsence = {
  away: { id: 'x', first_on: '2026-11-20', last_on: '2026-11-27' },
  answered: 4,
  going: [
    { ...goingTo, slug: 'run', name: event.name, is_host: false },
    { ...goingTo, slug: 'row', name: 'Long row around the lighthouse and back', is_host: false },
    { ...goingTo, slug: 'supper', name: 'Supper', is_host: true },
  ],
};

const states: Record<string, (page: Page) => Promise<unknown>> = {
  async offline(page) {
    await page.waitForLoadState('networkidle');
    await page.context().setOffline(true);
  },
  unsubscribed: (page) =>
    respond(page, 'POST /v1/notification-settings/unsubscribe/*', { key: 'email_club_update' }),
  /** Cancels animations: screenshots show them at their end, when undo is no longer offered. */
  'undo offered': (page) => page.evaluate('document.getAnimations().forEach((each) => each.cancel())'),
  'read link': readLink(null),
  'saved read link': readLink('2026-11-21T10:00:00.000Z'),
  'read link not valid': formPage('/read/x', ({ renderRead }, language) =>
    renderRead({ problem: 'not_found' }, language),
  ),
  'answer link': answerLink({}, { marked: 'going' }),
  'saved answer link': answerLink({ my_answer: 'no' }, { isSaved: true, undo: 'x' }),
  'waiting answer link': answerLink(
    { my_answer: 'waiting', my_place: 2, seats_left: 0, waiting_count: 3 },
    { isSaved: true, undo: 'x' },
  ),
  'failed answer link': answerLink(
    { seats_left: 0, waiting_count: 0, choices: ['maybe', 'no'] },
    { marked: 'maybe', failure: { code: 'event_full', isUndo: false } },
  ),
  'answer link of a host': answerLink({ my_role: 'organiser', my_answer: 'going', choices: ['going'] }),
  'ended answer link': answerPage({ problem: 'event_ended' }),
  'cancelled answer link': answerPage({ problem: 'event_cancelled' }),
  'answer link not loaded': answerPage({ problem: 'unavailable' }),
  'answer link offline': answerPage({ problem: 'offline' }),
  'closed answer link': answerLink({ my_answer: 'going', choices: ['going', 'no'], ...closed }),
  'long answer link': answerLink(
    {
      name: 'Donaudampfschifffahrtsgesellschaft '.repeat(3).trim(),
      club_name: 'Freunde der gepflegten Blasmusik von Niederösterreich und Umgebung',
      location_name: 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz-Halle, Eingang Ost',
      first_name: 'Maximiliane-Wolfeschlegelsteinhausenbergerdorff',
      my_answer: 'maybe',
    },
    { isSaved: true, undo: 'x' },
  ),
  'revert link of a change': revertLink(true),
  'revert link of a requested change': revertLink(false),
  'revert link not loaded': revertLink(true, 503),
  'calendar apps': (page) => respond(page, 'GET /v1/users/feeds', fetches),
  'saved absence': (page) => respond(page, 'POST /v1/users/away', savedAbsence),
  'email change waits': pendingEmail('GET'),
  'email change requested': pendingEmail('PATCH'),
};

const enter: Step = async (page, name) =>
  states[name]?.(page) ?? Promise.reject(new Error(`No state ${name}`));
const buttons = (page: Page, name: string) => page.getByRole('button', { name: pattern(name) });

/** Steps that are done before the page opens. */
const early: Record<string, Step> = {
  /** Makes the call fail with 500. */
  fails: (page, call) => respond(page, call, {}, 500),
  given: enter,
};

const lateSteps: Record<string, Step> = {
  // Enters a state on the opened page.
  now: enter,
  press: (page, name) => buttons(page, name).first().click(),
  /** Opens a dialog or a menu by its button. */
  async open(page, name) {
    await buttons(page, name).first().click();
    await page.locator(inFront).last().waitFor();
  },
  /** Presses a button in the dialog. */
  answer: (page, name) =>
    page
      .locator(inFront)
      .last()
      .getByRole('button', { name: pattern(name), exact: true })
      .click(),
  /** Clicks any element, found by a Playwright selector. */
  click: (page, selector) => page.click(selector),
  find: (page, selector) => page.waitForSelector(selector),
  see: (page, text) => page.getByText(text).first().waitFor(),
  fill: (page, label, text) => page.getByLabel(label).first().fill(text),
  /** Types into the focused element. */
  type: (page, text) => page.keyboard.type(text),
  choose: (page, label, option) => page.getByLabel(pattern(label)).selectOption(option),
  async upload(page, label, file) {
    const chooser = page.waitForEvent('filechooser');
    const region = page.getByRole('region', { name: label, exact: true });
    // The first button chooses or changes the picture, the second one removes it.
    await region.getByRole('button').first().click();
    const buffer = file === 'photo' ? photo : Buffer.from(file);
    await (await chooser).setFiles({ name: 'photo.png', mimeType: 'image/png', buffer });
  },
};

/** Steps whose subject is no text of a screen. */
const untranslated = new Set(['fails', 'given', 'now', 'click', 'find', 'type']);

/**
 * Opens a page and does the steps, for example `fill Email = ada@example.org`. `translate` gives the text of the screen
 * for an English one.
 */
export async function reach(
  page: Page,
  path: string,
  steps: string[],
  translate: (text: string) => string,
): Promise<void> {
  const parsed = steps.map((step) => {
    const [, verb = '', text = '', value = ''] = /^(\w+) (.+?)(?: = (.+))?$/.exec(step) ?? [];
    if (!early[verb] && !lateSteps[verb]) throw new Error(`Unknown step: ${step}`);
    const subject = untranslated.has(verb) ? text : text.replace(/[^/^$]+/, translate);
    return { verb, subject, value };
  });
  for (const { verb, subject, value } of parsed) await early[verb]?.(page, subject, value);
  await page.goto(path);
  await page.locator('h1:visible, [role=dialog]').first().waitFor();
  for (const { verb, subject, value } of parsed) await lateSteps[verb]?.(page, subject, value);
}
