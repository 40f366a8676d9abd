import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Event } from '#features/events/contract.ts';
import EventPage from '#features/events/pages/web/EventPage.tsx';
import type { Message } from '#features/updates/contract.ts';
import { addSeconds, instant } from '#wire/instant.ts';
import { toasts } from '#ui/toast.ts';
import { ada, fill, news, press, renderPage, run, server, success } from '#test/render-page.tsx';
import { EditMessage, MessageSheet } from './LazyMessageParts.tsx';

// Loading the dialogs takes long on a busy machine.
beforeAll(() => Promise.all([EditMessage.load(), MessageSheet.load()]));

const now = instant(Date.now());
const daysAgo = (days: number) => addSeconds(now, -days * 86_400);
const message = (content: string, more: Partial<Message> = {}): Message => ({
  ...news,
  id: `id-of-${content}`,
  content,
  to: null,
  ...more,
});

const show = (event: Partial<Event>, club_role: 0 | 200 = 200) =>
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    user: { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role })) },
    event: { ...run, my_role: 'organiser', my_answer: 'going', ...counts, ...event },
  });
/** The host is one of the five who are going. */
const counts = { user_count: 5, maybe_count: 2, silent_count: 4 } satisfies Partial<Event>;
const chips = () =>
  within(screen.getByRole('group', { name: 'Who gets it' }))
    .getAllByRole('button')
    .map((chip) => [chip.textContent, chip.getAttribute('aria-pressed') === 'true']);
const text = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Your message' }).value;
const section = () => screen.queryByRole('region', { name: 'Messages' });

describe('the sheet of a message', () => {
  test('has a chip with the number of members for each audience, and a button that says whom it reaches [MSG-02]', async () => {
    show({ capacity: 20, waiting_count: 3 });
    await press('Message');
    expect(chips()).toEqual([
      ['Going 4', true],
      ['Waitlist 3', true],
      ['Maybe 2', true],
      ['No answer 4', false],
    ]);
    screen.getByText('Anyone who gives this answer later can read it too.');
    screen.getByRole('button', { name: 'Send to 9 people' });
    await press('No answer 4');
    await press('Going 4');
    screen.getByRole('button', { name: 'Send to 9 people' });
    for (const chip of ['Waitlist 3', 'No answer 4']) await press(chip);
    screen.getByRole('button', { name: 'Send to 2 people' });
    await press('Maybe 2');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(true);
  });

  test('sends by keyboard alone, says how many people got the message, and closes [MSG-02]', async () => {
    show({});
    screen.getByRole('button', { name: 'Message' }).focus();
    await userEvent.keyboard('{Enter}');
    await vi.waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Your message' })),
    );
    await userEvent.keyboard('North gate');
    server.respond = () => success({ message: message('North gate'), people: 6 }, 201);
    await userEvent.tab();
    await userEvent.tab();
    expect(document.activeElement?.textContent).toBe('Send to 6 people');
    await userEvent.keyboard('{Enter}');
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(server.sent).toEqual([
      {
        call: 'POST /api/v1/events/tuesday-run/messages',
        body: { content: 'North gate', pictures: [], to: ['going', 'maybe'] },
      },
    ]);
    expect(toasts().find(({ open }) => open)?.title).toBe('Sent to 6 people');
  });

  test('keeps the text after a failed request, and when it is opened again [MSG-02]', async () => {
    show({});
    await press('Message');
    await press('Send to 6 people');
    screen.getByText('Write something first.');
    expect(server.sent).toEqual([]);
    await fill('Your message', 'North gate');
    server.respond = () =>
      Response.json({ data: null, status: 429, error: 'too_often', message: 'x' }, { status: 400 });
    await press('Send to 6 people');
    await screen.findByText("Your message wasn't sent");
    expect(text()).toBe('North gate');
    await press('Close');
    await press('Message');
    expect(text()).toBe('North gate');
  });

  test('offers a host who is no planner no members without an answer, and nothing while the time is open [MSG-01 MSG-02]', async () => {
    show({}, 0);
    await press('Message');
    expect(chips()).toEqual([
      ['Going 4', true],
      ['Maybe 2', true],
    ]);
  });

  test.each([
    ['a member', { my_role: 'attendee' }, 0],
    ['a host who is no planner while the time is open', { polling: true }, 0],
    ['an admin, more than 30 days after the end', { start_time: daysAgo(32), end_time: daysAgo(31) }, 200],
  ] as const)('is not for %s [MSG-01 MSG-07]', (_who, event, role) => {
    show(event, role);
    expect(screen.queryByRole('button', { name: 'Message' })).toBeNull();
  });

  test('has everybody as the only audience while the time is open [MSG-07]', async () => {
    show({ polling: true, user_count: 1, maybe_count: 0, silent_count: 7 });
    await press('Message');
    expect(chips()).toEqual([['Everyone 7', true]]);
    screen.getByRole('button', { name: 'Send to 7 people' });
  });
});

const texts = () =>
  within(section() as HTMLElement)
    .getAllByRole('article')
    .map((entry) => /Third|Second|First/.exec(entry.textContent)?.[0]);

describe('messages on the event page', () => {
  test('stand there newest first, two at first, and are absent without one [MSG-03]', async () => {
    show({ my_role: null, messages: ['Third', 'Second', 'First'].map((content) => message(content)) }, 0);
    expect(texts()).toEqual(['Third', 'Second']);
    expect(screen.queryByText(/^To:/)).toBeNull();
    expect(screen.queryByRole('button', { name: 'Change this message' })).toBeNull();
    await press('Show 1 more message');
    expect(texts()).toEqual(['Third', 'Second', 'First']);
  });

  test('there is no section without a message, or in a response that was stored before [MSG-03]', () => {
    show({});
    expect(section()).toBeNull();
    const { messages: _, ...stored } = run;
    show(stored as Event);
    expect(section()).toBeNull();
  });

  test('show those who may change them their audience, and are edited and deleted like updates [MSG-03 MSG-06]', async () => {
    show({
      messages: [
        message('Gate', { to: ['going', 'waiting'], version: 3, edited_at: '2026-06-21T19:00:00.000Z' }),
      ],
    });
    screen.getByText('To: Going and Waitlist');
    screen.getByText(/^Edited/);
    await press('Change this message');
    await userEvent.click(screen.getByRole('menuitem', { name: 'Edit' }));
    await fill('Content', 'South gate');
    server.respond = () => success(message('South gate'));
    await press('Save Changes');
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await press('Change this message');
    await userEvent.click(screen.getByRole('menuitem', { name: 'Delete' }));
    const dialog = await screen.findByRole('alertdialog', { name: 'Delete this message?' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
    await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    expect(server.sent).toEqual([
      { call: 'PATCH /api/v1/updates/id-of-rowers/id-of-Gate', body: { content: 'South gate' } },
      { call: 'DELETE /api/v1/updates/id-of-rowers/id-of-Gate', body: null },
    ]);
  });
});
