import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Event } from '#features/events/contract.ts';
import EventPage from '#features/events/pages/web/EventPage.tsx';
import type { Question } from '#features/events/question-contract.ts';
import { addSeconds, instant } from '#wire/instant.ts';
import { toasts } from '#ui/toast.ts';
import { ada, confirm, press, renderPage, run, server, success } from '#test/render-page.tsx';
import { AskSheet } from './LazyQuestionParts.tsx';

// Loading the dialog takes long on a busy machine.
beforeAll(() => AskSheet.load());

const question = (text: string, more: Partial<Question> = {}): Question => ({
  id: `id-of-${text.replace('?', '')}`,
  question: text,
  asked_at: '2026-06-21T18:30:00.000Z',
  answer: '',
  answered_at: null,
  shared: false,
  version: 0,
  is_mine: false,
  author: null,
  ...more,
});
const mia = { first_name: 'Mia', last_name: 'Berg' };
const daysAgo = (days: number) => addSeconds(instant(Date.now()), -days * 86_400);

const show = (event: Partial<Event>, club_role: 0 | 200 = 0) =>
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    user: { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role })) },
    event: { ...run, my_role: null, ...event },
  });
const section = () => screen.queryByRole('region', { name: 'Questions' });
const askButton = () => screen.queryByRole('button', { name: 'Ask the hosts' });
const failure = (status: number, error: string) =>
  Response.json({ data: null, status, error, message: 'x' }, { status });

test('ask the hosts: the only thing shown without questions; sends by keyboard, and keeps the text after a failure [ASK-01 ASK-03]', async () => {
  show({});
  expect(section()).toBeNull();
  askButton()?.focus();
  await userEvent.keyboard('{Enter}');
  screen.getByText('Hosts may answer everyone, without your name.');
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Your question' });
  await vi.waitFor(() => expect(document.activeElement).toBe(field));
  await press('Send');
  screen.getByText('Write something first.');
  await userEvent.type(field, 'Where?');
  server.respond = () => failure(409, 'too_many_questions');
  await press('Send');
  await screen.findByText("Your question wasn't sent");
  expect(field.value).toBe('Where?');
  server.respond = () => success(question('Where?', { is_mine: true }), 201);
  await press('Send');
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.sent.at(-1)).toEqual({
    call: 'POST /api/v1/events/tuesday-run/questions',
    body: { question: 'Where?' },
  });
  expect(toasts().find(({ open }) => open)?.title).toBe('Question sent');
});

test.each([
  ['a host', { my_role: 'organiser' }],
  ['a cancelled event', { deleted_at: daysAgo(1) }],
  ['a past event', { start_time: daysAgo(2), end_time: daysAgo(1) }],
] as const)('ask the hosts: absent for %s [ASK-01]', (_what, event) => {
  show(event);
  expect(askButton()).toBeNull();
});

test('hosts answer a question to its author or to everyone, and change the answer [ASK-02 ASK-05]', async () => {
  const open = question('Where?', { author: mia });
  show({
    my_role: 'organiser',
    questions: [
      open,
      question('When?', { author: mia, answer: 'At six', answered_at: daysAgo(1), version: 3 }),
    ],
  });
  screen.getByText('Answer to Mia alone');
  const [first, second] = within(section() as HTMLElement).getAllByRole('article') as [
    HTMLElement,
    HTMLElement,
  ];
  within(first).getByText('Mia asks');
  await userEvent.click(within(first).getByRole('button', { name: 'Answer everyone' }));
  within(first).getByText('Write something first.');
  await userEvent.type(within(first).getByRole('textbox', { name: 'Answer' }), 'Here');
  server.respond = () => success({ ...open, answer: 'Here' });
  await userEvent.click(within(first).getByRole('button', { name: 'Answer Mia' }));
  await vi.waitFor(() => expect(server.sent).toHaveLength(1));
  await userEvent.click(within(second).getByRole('button', { name: 'Change answer' }));
  await userEvent.type(within(second).getByRole('textbox', { name: 'Answer' }), '!');
  server.respond = () => failure(412, 'changed_meanwhile');
  await userEvent.click(within(second).getByRole('button', { name: 'Answer everyone' }));
  await screen.findByText("Your answer wasn't sent");
  expect(server.sent).toEqual([
    { call: 'PUT /api/v1/questions/id-of-Where', body: { answer: 'Here', shared: false } },
    { call: 'PUT /api/v1/questions/id-of-When', body: { answer: 'At six!', shared: true } },
  ]);
  expect(within(second).getByRole<HTMLTextAreaElement>('textbox').value).toBe('At six!');
});

test('members see their own questions and shared answers, and delete only their own [ASK-03 ASK-07]', async () => {
  const answered = { answer: 'North gate', answered_at: daysAgo(1) };
  show({
    questions: [
      question('Mine?', { is_mine: true }),
      question('Told?', { is_mine: true, ...answered }),
      question('Shared?', { shared: true, ...answered }),
    ],
  });
  const entries = within(section() as HTMLElement).getAllByRole('article');
  const has = (text: string) => entries.map((entry) => entry.textContent?.includes(text));
  expect(has('Not answered yet')).toEqual([true, false, false]);
  expect(has('Answer to you alone')).toEqual([false, true, false]);
  expect(has('Answer to everyone')).toEqual([false, false, true]);
  expect(screen.queryByRole('textbox', { name: 'Answer' })).toBeNull();
  const [button, ...others] = within(section() as HTMLElement).getAllByRole('button', {
    name: 'Delete question',
  });
  expect(others).toHaveLength(1);
  await userEvent.click(button as HTMLElement);
  await confirm('Delete');
  await vi.waitFor(() =>
    expect(server.sent).toEqual([{ call: 'DELETE /api/v1/questions/id-of-Mine', body: null }]),
  );
});

test('hosts cannot answer more than thirty days after the end [ASK-05]', () => {
  show({
    my_role: 'organiser',
    questions: [question('Where?', { author: mia })],
    start_time: daysAgo(32),
    end_time: daysAgo(31),
  });
  expect(section()).not.toBeNull();
  expect(screen.queryByRole('button', { name: 'Answer Mia' })).toBeNull();
});
