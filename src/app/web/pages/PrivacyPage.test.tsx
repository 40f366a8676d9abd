import { render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { expect, test } from 'vitest';
import PrivacyPage from './PrivacyPage.tsx';

const longText = '.{40}';

/** The sections in order, each with a part of its text. */
const policy = {
  'Our privacy promise': 'We use no analytics.*We use no cookies',
  'Your information':
    'At sign-up and soon after we collect:.*your email address.*your name.*club information',
  'How we use data': 'We use your email to send you.*Data is kept while your account is active',
  'Legal basis': 'The legal basis is your consent, which you give when you first log in',
  'Requesting your information': 'When an account is deleted, its data is deleted permanently',
  'How we protect data': longText,
  'How you can help': longText,
  'Further information': longText,
  Changes: longText,
  Contact: longText,
};

const show = () =>
  render(
    <MemoryRouter>
      <PrivacyPage />
    </MemoryRouter>,
  );

test('privacy policy: says in its sections which data is collected, why, for how long and by whom [PRIV-02 PRIV-03 PRIV-04 PRIV-05 PRIV-06 PRIV-07 PRIV-08 PRIV-09 PRIV-10 PRIV-11 PRIV-12 PRIV-13 PRIV-14 PRIV-16 PRIV-18 PRIV-20 AUTHUX-06]', () => {
  show();
  const headings = screen.getAllByRole('heading', { level: 2 });
  expect(headings.map(({ textContent }) => textContent)).toEqual(Object.keys(policy));
  for (const [index, [heading, text]] of Object.entries(policy).entries())
    expect(headings[index]?.parentElement?.textContent).toMatch(new RegExp(`^${heading}.*${text}`, 's'));
  expect(screen.getByRole('article').textContent).toMatch(/ is a project of [\w ]+, a consulting company\./);
  // Without a support address either, members read no instructions for operators.
  expect(screen.getByRole('article').textContent).not.toMatch(/[A-Z]+_[A-Z]+|run this site/);
  expect(screen.getByRole('link', { name: 'My Account' }).getAttribute('href')).toBe('/app/profile');
});

test('privacy policy: says who sees absences and for how long, and that hosts may notice an automatic answer [AWAY-05]', () => {
  show();
  const text = screen.getByRole('article').textContent;
  for (const part of [
    "the days you're away, if you enter them, and no reason",
    "The days you're away are seen by you alone.",
    'may notice that this answer was given automatically',
    "the days you're away 30 days after the last of them",
  ])
    expect(text).toContain(part);
});

test('privacy policy: says that outcomes of emails are stored, for how long, and who sees them [KNOW-01 KNOW-07]', () => {
  show();
  const text = screen.getByRole('article').textContent;
  for (const part of [
    'whether the mail server took each email about your clubs',
    'Only the admins of your clubs see your email, and whether emails to you arrive.',
    'the outcomes of emails and of notifications on devices after 30 days',
  ])
    expect(text).toContain(part);
});
