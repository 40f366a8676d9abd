// `npm run faults`: injects faults into a running app and prints which guarantees held. `-- F1 F3` runs only these.
import type { Fault, Verdict } from './faults/fault.ts';
import { killed } from './faults/f01-killed.ts';
import { crashed, restarted } from './faults/f02-database.ts';
import { failedOver } from './faults/f04-failover.ts';
import { locked } from './faults/f05-lock.ts';
import { mailless } from './faults/f06-mail.ts';
import { poisoned } from './faults/f07-poison.ts';
import { jumped, listed, pictured, polled, unpaid } from './faults/f08-others.ts';
import { full } from './faults/f09-full.ts';
import { trickled } from './faults/f10-slow.ts';
import { stormed, unread } from './faults/f11-sockets.ts';
import { fuzzed } from './faults/f13-fuzz.ts';
import { doubled } from './faults/f18-two.ts';

const faults: Record<string, [string, Fault]> = {
  F1: ['the app is killed', killed],
  F2: ['the database restarts', restarted],
  F3: ['the database is killed', crashed],
  F4: ['the database fails over', failedOver],
  F5: ['the clubs are locked', locked],
  F6: ['the mail server is down', mailless],
  F7: ['jobs that always fail', poisoned],
  F8: ['the payment provider is silent', unpaid],
  F9: ['the disk is full', full],
  F10: ['slow clients', trickled],
  F11: ['a websocket that is not read', unread],
  F12: ['10,000 websockets reconnect', stormed],
  F13: ['100,000 random requests', fuzzed],
  F14: ['long lists', listed],
  F15: ['feeds are polled', polled],
  F16: ['large pictures are uploaded', pictured],
  F17: ['the clock jumps', jumped],
  F18: ['two processes', doubled],
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in faults));
if (unknown.length > 0) {
  console.error(`Unknown fault ${unknown.join(', ')}. Available: ${Object.keys(faults).join(', ')}.`);
  process.exit(2);
}

const rows: string[][] = [['', 'fault', 'promise', 'result', 'held']];
for (const [name, [what, attempt]] of Object.entries(faults)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.log(`${name}: ${what} …`);
  const verdicts: Verdict[] = await attempt().catch((error: Error) => [
    { promise: 'the test itself', result: error.message, held: false },
  ]);
  for (const { promise, result, held } of verdicts) {
    console.log(`  ${held === undefined ? 'not run' : held ? 'held' : 'NOT HELD'}: ${promise}: ${result}`);
    rows.push([name, what, promise, result, held === undefined ? 'not run' : held ? 'yes' : 'NO']);
    if (held === false) process.exitCode = 1;
  }
}

const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
console.log('');
for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | '));
// Keep-alive connections would keep this process running.
process.exit();
