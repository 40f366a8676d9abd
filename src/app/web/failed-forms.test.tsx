import { cleanup, screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import { expect, test, vi } from 'vitest';
import EditClubPage from '#features/clubs/web/EditClubPage.tsx';
import NewClubPage from '#features/clubs/web/NewClubPage.tsx';
import EditEventPage from '#features/events/pages/web/EditEventPage.tsx';
import NewEventPage from '#features/events/pages/web/NewEventPage.tsx';
import FeedbackPage from '#features/feedback/web/FeedbackPage.tsx';
import NewUpdatePage from '#features/updates/web/NewUpdatePage.tsx';
import ProfilePage from '#features/users/web/ProfilePage.tsx';
import {
  ada,
  failure,
  field,
  fill,
  press,
  renderPage,
  rowers,
  run,
  server,
  success,
} from '#test/render-page.tsx';
import { toasts } from '#ui/toast.ts';

interface Form {
  page: ReactElement;
  route?: string;
  path?: string;
  /** The input per field. */
  typed: Record<string, string>;
  save: string;
  notice: string;
  /** The response to a successful save. */
  saved?: unknown;
  status?: number;
}

const forms = {
  'edit club': {
    page: <EditClubPage />,
    route: '/app/clubs/:slug/edit',
    path: '/app/clubs/rowers/edit',
    typed: { 'Club Location': 'Pier 9' },
    save: 'Update Club',
    notice: "The club wasn't updated",
    saved: rowers,
  },
  'new event': {
    page: <NewEventPage />,
    route: '/app/:slug/new-event',
    path: '/app/rowers/new-event',
    typed: { Title: 'Row', Location: 'Pier', Start: '01/01/2099 10:00 AM' },
    save: 'Create Event',
    notice: "The event wasn't created",
    saved: { id: 'e', slug: 'row', name: 'Row' },
  },
  'edit event': {
    page: <EditEventPage />,
    route: '/app/events/edit/:slug',
    path: '/app/events/edit/tuesday-run',
    typed: { Location: 'Pier' },
    save: 'Update Event',
    notice: "The event wasn't updated",
    saved: run.slug,
  },
  feedback: {
    page: <FeedbackPage />,
    typed: { 'Your feedback': 'Splendid!' },
    save: 'Submit',
    notice: "Your feedback wasn't sent",
  },
  'new club': {
    page: <NewClubPage />,
    typed: { 'Club Name': 'Runners' },
    save: 'Create Club',
    notice: "The club wasn't created",
    saved: { id: 'c', slug: 'runners', club_name: 'Runners' },
  },
  'new update': {
    page: <NewUpdatePage />,
    route: '/app/clubs/:slug/new-update',
    path: '/app/clubs/rowers/new-update',
    typed: { Content: 'Mended' },
    save: 'Publish',
    notice: "Your update wasn't published",
    saved: { id: 'u' },
    status: 201,
  },
  profile: {
    page: <ProfilePage />,
    typed: { 'Last Name': 'Byron' },
    save: 'Save Changes',
    notice: "Your account wasn't updated",
    saved: ada,
  },
} satisfies Record<string, Form>;

const outages = {
  'a lost connection': [
    () => Promise.reject(new TypeError('Failed to fetch')),
    'An unexpected error occurred.',
  ],
  'an unavailable server': [
    () => Response.json({ data: null, status: 503, error: 'unavailable' }, { status: 503 }),
    'The service is unavailable. Try again shortly.',
  ],
} satisfies Record<string, [respond: () => Promise<Response> | Response, reason: string]>;

async function fillAndSave({ page, route, path, typed, save }: Form) {
  const router = renderPage(page, { route, path });
  for (const [name, text] of Object.entries(typed)) await fill(name, text);
  await press(save);
  return router;
}

const alerts = () => screen.queryAllByRole('alert').map(({ textContent }) => textContent);
const openToast = () => toasts().find(({ open }) => open);

test.each(
  Object.keys(forms).flatMap((name) => Object.keys(outages).map((outage) => [name, outage] as const)),
)(
  'form: %s keeps the input and shows, until saving succeeds, that it failed because of %s [UX-28]',
  async (name, outage) => {
    const form: Form = forms[name as keyof typeof forms];
    const [respond, reason] = outages[outage as keyof typeof outages];
    server.respond = respond;
    await fillAndSave(form);
    await vi.waitFor(() => expect(openToast()).toBeDefined());
    const notice = `${form.notice}${reason} Your changes are still here.`;
    await vi.waitFor(() => expect(alerts()).toContain(notice));
    for (const [label, text] of Object.entries(form.typed)) expect(field(label).value).toBe(text);
    server.respond = () => success(form.saved ?? null, form.status);
    await press(form.save);
    await vi.waitFor(() => expect(alerts()).not.toContain(notice));
  },
);

test.each(Object.entries<Form>(forms))(
  'form: %s keeps what was typed until it is saved, and says so when it opens again [FORMUX-03]',
  async (_name, { page, route, path, typed, save, saved, status }) => {
    const open = () => {
      cleanup();
      renderPage(page, { route, path });
    };
    open();
    for (const [name, text] of Object.entries(typed)) await fill(name, text);
    open();
    expect(screen.getByText(/^Your draft from \d+:\d\d [ap]m\.$/)).toBeDefined();
    for (const [name, text] of Object.entries(typed)) expect(field(name).value).toBe(text);
    server.respond = () => success(saved ?? null, status);
    await press(save);
    await vi.waitFor(() => expect(localStorage.getItem('drafts')).toBeNull());
    open();
    expect(screen.queryByText(/^Your draft/)).toBeNull();
  },
);

test.each(Object.entries<Form>(forms))(
  'form: leaving %s removes its failure toast [UX-28]',
  async (_name, form) => {
    server.respond = () => failure(500);
    const router = await fillAndSave(form);
    await vi.waitFor(() => expect(openToast()).toBeDefined());
    await router.navigate('/elsewhere');
    await vi.waitFor(() => expect(openToast()).toBeUndefined());
  },
);

test('form: leaving removes the toast of a failed validation [UX-28]', async () => {
  const router = await fillAndSave({ ...forms.feedback, typed: {} });
  expect(openToast()).toBeDefined();
  await router.navigate('/app');
  await vi.waitFor(() => expect(openToast()).toBeUndefined());
});

test.each(['edit club', 'edit event'] as const)(
  'form: the success toast of %s survives the navigation that follows, even after an earlier failure [UX-28]',
  async (name) => {
    server.respond = () => failure(500);
    const router = await fillAndSave(forms[name]);
    await vi.waitFor(() => expect(openToast()).toMatchObject({ title: 'Error' }));
    server.respond = () => success(forms[name].saved);
    await press(forms[name].save);
    await vi.waitFor(() => expect(router.state.location.pathname).not.toBe(forms[name].path));
    await vi.waitFor(() => expect(screen.queryByRole('textbox')).toBeNull());
    expect(openToast()).toMatchObject({ title: 'Success' });
  },
);
