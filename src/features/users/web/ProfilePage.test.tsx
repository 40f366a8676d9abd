import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { toasts } from '#ui/toast.ts';
import { queries, queryClient } from '#web/queries.ts';
import { settings } from '#web/settings.ts';
import { ada, expectToast, field, fill, press, renderPage, server, success } from '#test/render-page.tsx';
import ProfilePage from './ProfilePage.tsx';

const next = 'countess@example.org';
const refused = (status: number, error: string) => Response.json({ data: null, status, error }, { status });

/** What the server knows about Ada, and the calls that it received. */
let user: typeof ada;
let calls: string[];

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
  document.elementFromPoint = () => null;
  [user, calls] = [ada, []];
  const responses: Record<string, (body: Record<string, string>) => Response> = {
    'PATCH /api/v1/users'({ email, code, ...others }) {
      if (/[a-z]/.test(others['phone'] ?? '')) return refused(400, 'bad_input');
      if (email && email !== user.email && code === undefined) return refused(400, 'code_missing');
      if (code && code !== 'GOLDEN') return refused(400, 'wrong_code');
      user = { ...user, ...others, pending_email: code ? (email ?? null) : user.pending_email };
      return success(user);
    },
    'POST /api/v1/users/email'({ code }) {
      if (code !== 'SILVER') return refused(400, 'wrong_code');
      user = { ...user, email: user.pending_email ?? '', pending_email: null };
      return success(user);
    },
  };
  vi.stubGlobal('fetch', async (url: string, { method = 'GET', body }: RequestInit = {}) => {
    const [path = ''] = url.split('?');
    const json = JSON.parse(String(body ?? '{}')) as Record<string, string>;
    if (path.endsWith('/users/code')) {
      calls.push(`code for ${json['purpose']}`);
      return success({ from: 'muster@example.org' });
    }
    if (method === 'GET') return success(null);
    return responses[`${method} ${path}`]?.(json) ?? refused(404, 'not_found');
  });
});

const show = (shown = user) => renderPage(<ProfilePage />, { user: shown });
const steps = () => screen.getByRole('region', { name: 'Change your email' });
const current = () =>
  within(steps())
    .getAllByRole('listitem')
    .find((step) => step.ariaCurrent ?? step.hasAttribute('aria-current'));
const enter = async (code: string, button: string) => {
  await userEvent.type(within(steps()).getByRole('textbox'), code);
  await press(button);
};

test('profile: says who sees the email, and leads to the settings of emails and notifications [AUTHUX-06]', () => {
  show();
  const note = field('Email').getAttribute('aria-describedby') ?? '';
  expect(document.getElementById(note)?.textContent).toBe('Only the admins of your clubs see it.');
  const link = screen.getByRole('link', { name: 'Emails and notifications' });
  expect(link.getAttribute('href')).toBe('/app/settings/notifications');
});

test('profile: a new email opens the first of two steps and sends its code; other fields are saved at once [UX-38]', async () => {
  const router = show();
  await fill('Email', next);
  await fill('Last Name', 'King');
  await press('Save Changes');
  await expectToast('User Updated', 'User has been updated successfully');
  await waitFor(() => expect(current()?.textContent).toContain(`Enter the code sent to ${ada.email}`));
  await waitFor(() => expect(calls).toEqual(['code for email_change']));
  expect(await screen.findByRole('button', { name: /^Send again \(\d+s\)$/ })).toBeDefined();
  expect(user).toMatchObject({ email: ada.email, last_name: 'King', pending_email: null });
  expect(router.state.location.pathname).toBe('/page');

  await enter('WRONGS', 'Continue');
  expect((await within(steps()).findByRole('alert')).textContent).toContain("isn't valid");
  await userEvent.clear(within(steps()).getByRole('textbox'));
  await enter('GOLDEN', 'Continue');
  await waitFor(() => expect(current()?.textContent).toContain(`Enter the code sent to ${next}`));
  expect(document.activeElement).toBe(within(steps()).getByRole('textbox'));
  expect(router.state.location.pathname).toBe('/page');
  await enter('SILVER', 'Change email');
  await waitFor(() => expect(router.state.location.pathname).toBe('/app'));
  expect(user).toMatchObject({ email: next, pending_email: null });
});

test('profile: saving goes to /app only when no step of an email change is open [UX-38]', async () => {
  user = { ...ada, pending_email: next };
  const router = show();
  await fill('First Name', 'Augusta');
  await press('Save Changes');
  await expectToast('User Updated', 'User has been updated successfully');
  expect(router.state.location.pathname).toBe('/page');
  expect(current()?.textContent).toContain(`Enter the code sent to ${next}`);
});

test('profile: changing only the email shows no toast about a saved user, and can be cancelled [UX-38]', async () => {
  show();
  await fill('Email', next);
  await press('Save Changes');
  await press('Cancel');
  expect(screen.queryByRole('region', { name: 'Change your email' })).toBeNull();
  expect(toasts().filter(({ open }) => open)).toEqual([]);
  expect(user).toEqual(ada);
});

test('profile: the second step can start again with a new code to the current email [UX-38]', async () => {
  user = { ...ada, pending_email: next };
  show();
  await press('Start again');
  await waitFor(() => expect(current()?.textContent).toContain(`Enter the code sent to ${ada.email}`));
  expect(calls).toEqual(['code for email_change']);
  expect(server.sent).toEqual([]);
});

test('profile: saving one field keeps another field that was changed on another device [C23]', async () => {
  show();
  await fill('Last Name', 'King');
  user = { ...ada, first_name: 'Augusta' };
  act(() => void queryClient.setQueryData(queries.user().queryKey, user));
  await waitFor(() => expect(field('First Name').value).toBe('Augusta'));
  await press('Save Changes');
  await expectToast('User Updated', 'User has been updated successfully');
  expect(user).toMatchObject({ first_name: 'Augusta', last_name: 'King' });
});

test('profile: a phone that the server refuses is explained at its field, and stays there [CONTACT-01]', async () => {
  show();
  await fill('Phone', '030 12 ext');
  await press('Save Changes');
  const field = screen.getByLabelText<HTMLInputElement>('Phone');
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
  screen.getByText('Use 5 to 30 digits, spaces and + ( ) - / .');
  expect(field.value).toBe('030 12 ext');
});

test('profile: the footer shows the version of the server, and links to the licences [OPER-16 OPER-18]', () => {
  settings.version = '1.2.3';
  show();
  const footer = within(screen.getByRole('contentinfo'));
  expect(footer.getByText('Version 1.2.3')).toBeTruthy();
  const link = footer.getByRole('link', { name: 'Licences of the software in this app' });
  expect(link.getAttribute('href')).toBe('/licenses.txt');
  delete settings.version;
});
