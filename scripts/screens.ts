// Every screen and dialog that `npm run screenshots` looks at: empty, full, with long words, and when something fails.
import { clubs } from './screens/clubs.ts';
import { events } from './screens/events.ts';
import { outside } from './screens/outside.ts';
import { own } from './screens/own.ts';
import type { Screen } from './screens/screen.ts';

export const screens: Screen[] = [...outside, ...own, ...clubs, ...events];
