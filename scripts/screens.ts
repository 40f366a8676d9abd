// Every screen and dialog for `npm run screenshots`: empty, full, with long texts and with errors.
import { clubs } from './screens/clubs.ts';
import { events } from './screens/events.ts';
import { outside } from './screens/outside.ts';
import { own } from './screens/own.ts';
import type { Screen } from './screens/screen.ts';

export const screens: Screen[] = [...outside, ...own, ...clubs, ...events];
