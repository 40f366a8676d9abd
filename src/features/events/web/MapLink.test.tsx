import { cleanup, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { MapLink, mapUrl } from './MapLink.tsx';

test.each([
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)',
    'https://maps.apple.com/?q=Pier%203%20%26%20more',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 'https://maps.apple.com/?q=Pier%203%20%26%20more'],
  ['Mozilla/5.0 (Linux; Android 16; Pixel 9)', 'geo:0,0?q=Pier%203%20%26%20more'],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'https://www.openstreetmap.org/search?query=Pier%203%20%26%20more'],
  [undefined, 'https://www.openstreetmap.org/search?query=Pier%203%20%26%20more'],
])('map link: opens the map application for the user agent %s [UX-11]', (userAgent, url) => {
  expect(mapUrl('Pier 3 & more', userAgent)).toBe(url);
});

test.each([
  ['Online', false],
  ['zoom, link to follow', false],
  ['Video call', false],
  ['https://meet.example/rowers', false],
  ['www.meet.example/rowers', false],
  ['Onlinestraße 5', true],
  ['The Zoom Room, Pier 3', true],
])('map link: places have a link, online meetings have none: "%s" (link: %s) [UX-11]', (place, isShown) => {
  render(<MapLink place={place} />);
  expect(screen.queryByRole('link') !== null).toBe(isShown);
  cleanup();
});
