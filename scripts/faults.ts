// `npm run faults`: injects faults into a running app and prints which guarantees held. `-- F1 F3` injects only
// these two faults. Tests cover the faults that are missing here: docs/operations.md names them.
import { closeAll } from './app.ts';
import { tableOf } from './bench/report.ts';
import { diskFull, slowClients } from './faults/busy.ts';
import type { Fault, Verdict } from './faults/fault.ts';
import * as lostWrites from './faults/lost-writes.ts';
import { mailServerDown } from './faults/mail.ts';
import { reconnectStorm } from './faults/sockets.ts';
import { standbysFail } from './faults/standbys.ts';

const faults: Record<string, [string, Fault]> = {
  F1: ['the app is killed', lostWrites.appKilled],
  F2: ['the database restarts', lostWrites.databaseRestarted],
  F3: ['the database is killed', lostWrites.databaseKilled],
  F4: ['the database fails over', lostWrites.databaseFailover],
  F6: ['the mail server is down', mailServerDown],
  F9: ['the disk is full', diskFull],
  F10: ['slow clients', slowClients],
  F12: ['10,000 websockets reconnect', reconnectStorm],
  F19: ['a Patroni cluster fails over', lostWrites.patroniFailsOver],
  F20: ['a synchronous standby or the leader fails', standbysFail],
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in faults));
if (unknown.length > 0) {
  console.error(`Unknown fault ${unknown.join(', ')}. Available: ${Object.keys(faults).join(', ')}.`);
  process.exit(2);
}

const rows: string[][] = [['', 'fault', 'promise', 'result', 'held']];
const failed = ({ message }: Error): Verdict[] => [
  { promise: 'the test itself', result: message, held: false },
];
for (const [name, [what, attempt]] of Object.entries(faults)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.log(`${name}: ${what} …`);
  for (const { promise, result, held } of await attempt().catch(failed)) {
    const verdict = held === undefined ? 'not run' : held ? 'yes' : 'NO';
    console.log(`  held: ${verdict}: ${promise}: ${result}`);
    rows.push([name, what, promise, result, verdict]);
    if (held === false) process.exitCode = 1;
  }
}

console.log(`\n${tableOf(rows)}`);
await closeAll();
// Keep-alive connections would keep this process running.
process.exit();
