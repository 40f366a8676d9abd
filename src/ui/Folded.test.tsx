import { render, screen } from '@testing-library/react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Folded } from './Folded.tsx';

const html = (likelyLong: boolean) => renderToString(<Folded likelyLong={likelyLong}>Rowing</Folded>);

test('folded text: the server renders the button of a text that is likely long, so that the button does not move the page later [UX-04]', () => {
  expect(html(true)).toContain('Show more');
  expect(html(false)).not.toContain('Show more');
  // No line is hidden in jsdom.
  render(<Folded likelyLong>Rowing</Folded>);
  expect(screen.queryByRole('button')).toBeNull();
});
