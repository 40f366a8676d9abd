import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { expectToast, failure, field, fill, press, renderPage, server } from '#test/render-page.tsx';
import FeedbackPage from './FeedbackPage.tsx';

const box = 'Your feedback';

test('feedback: is sent and acknowledged, and then more feedback can be sent [FEEDBACK-02 FEEDBACK-04 FEEDBACK-06 FEEDBACK-07 FEEDBACK-08 FEEDBACK-09 API-39]', async () => {
  renderPage(<FeedbackPage />);
  expect(field(box).tagName).toBe('TEXTAREA');
  await fill(box, 'More kayaks.');
  await press('Submit');
  const dialog = await screen.findByRole('dialog', { name: 'Success!' });
  expect(server.sent).toEqual([{ call: 'POST /api/v1/feedback', body: { feedback: 'More kayaks.' } }]);
  expect(within(dialog).getByText('Thank you for your feedback!')).toBeDefined();
  expect(within(dialog).getByRole('link', { name: 'Home' }).getAttribute('href')).toBe('/app');
  await press('Submit more!');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(field(box).value).toBe('');
});

test.each(['   ', '\u200B'])('feedback: "%s" is empty [FEEDBACK-05 TOAST-35 ROBUST-07]', async (text) => {
  renderPage(<FeedbackPage />);
  await fill(box, text);
  await press('Submit');
  await expectToast('Error', 'Please enter some feedback');
  expect(document.activeElement).toBe(field(box));
  expect(server.sent).toEqual([]);
});

test('feedback: a failure shows an error and keeps the text [TOAST-36]', async () => {
  server.respond = () => failure(500);
  renderPage(<FeedbackPage />);
  await fill(box, 'And again');
  await press('Submit');
  await expectToast('Error', 'There was an error updating this event');
  expect(field(box).value).toBe('And again');
});

test('feedback: links to the home page [FEEDBACK-03]', () => {
  renderPage(<FeedbackPage />);
  expect(screen.getByRole('link', { name: 'Home' }).getAttribute('href')).toBe('/app');
});
