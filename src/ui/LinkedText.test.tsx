import { render } from '@testing-library/react';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LinkedText } from './LinkedText.tsx';

test('linked text: links open in a new tab and have rel="noopener nofollow ugc" [UX-12]', () => {
  const { container } = render(<LinkedText text={'See https://a.example/x.\nOr ada@club.example'} />);
  const links = [...container.querySelectorAll('a')].map(({ href, rel, target }) => ({ href, rel, target }));
  const rest = { rel: 'noopener nofollow ugc', target: '_blank' };
  expect(links).toEqual([
    { href: 'https://a.example/x', ...rest },
    { href: 'mailto:ada@club.example', ...rest },
  ]);
  expect(container.textContent).toBe('See https://a.example/x.\nOr ada@club.example');
});

test('linked text: markup in the text creates no element [UX-12]', () => {
  const markup = fc.array(
    fc.constantFrom(
      '<img src=x onerror=alert(1)>',
      '<script>',
      '</p>',
      '<a href="javascript:x">',
      '&lt;',
      'https://a.example/"><b>',
      ' ',
    ),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(markup, (pieces) => {
      const text = pieces.join('');
      const { container, unmount } = render(<LinkedText text={text} />);
      expect(container.textContent).toBe(text);
      for (const { tagName, protocol } of container.querySelectorAll<HTMLAnchorElement>(':not(span)'))
        expect([tagName, protocol]).toEqual(['A', 'https:']);
      unmount();
    }),
    { numRuns: 100 },
  );
});
