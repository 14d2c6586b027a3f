// SPDX-License-Identifier: Apache-2.0
// The connected robot: save, arm, start, and two ways to stop that have a lane of their own in the server.
'use strict';
class RobotPanel {
  constructor(studio, start) {
    this.studio = studio;
    if (!start.hardware) return;
    document.body.classList.add('with-robot');
    $('robot-tab').hidden = false;
    $('robot-name').textContent = start.hardware;
    $('arm').addEventListener('click', guarded(() => this.arm()));
    $('start').addEventListener('click', guarded(() => this.begin()));
    $('smooth-stop').addEventListener('click', guarded(() => this.stop(false)));
    $('emergency-stop').addEventListener('click', guarded(() => this.stop(true)));
    for (const id of ['robot-mode', 'robot-align']) $(id).addEventListener('change', () => this.disarm());
  }
  async arm() {
    await this.studio.savePlan(false);
    const answer = await ask('/api/arm', {plan: this.studio.planName(), mode: $('robot-mode').value, align: $('robot-align').checked});
    showCommand($('robot-command'), answer.command);
    this.ticket = answer.ticket;
    const end = performance.now() + 1e3 * answer.seconds;
    $('start').disabled = false;
    this.timer = setInterval(() => {
      const left = Math.ceil((end - performance.now()) / 1e3);
      if (left <= 0) this.disarm();
      else $('robot-state').textContent = `Armed for ${left} s: stand clear, a hand on the switch, then start.`;
    }, 200);
  }
  disarm() {
    clearInterval(this.timer);
    this.ticket = null;
    $('start').disabled = true;
    if (!this.moving) $('robot-state').textContent = 'Not armed.';
  }
  async begin() {
    const {ticket} = this;
    this.disarm();
    this.moving = true;
    try {
      const {id} = await ask('/api/run', {ticket});
      $('robot-state').textContent = 'The run begins …';
      await this.follow(id);
    } finally {
      this.moving = false;
    }
  }
  async follow(id) {
    const output = $('robot-output');
    output.textContent = '';
    for (let from = 0, view = {running: true}; view.running;) {
      view = await ask('/api/job', {id, from});
      from = view.size;
      output.append(view.text);
      const live = /live view at (http:\/\/[\d.]+:\d+\/)/.exec(output.textContent);
      if (live && !$('live').src.startsWith(live[1])) {
        $('live').hidden = false;
        $('live').src = live[1] + query;
        $('robot-state').textContent = 'The robot moves.';
      }
      if (!view.running) {
        $('robot-state').textContent = {0: 'The plan was played to its end.', 4: 'Ended by a fault of the hardware.',
          5: 'Stopped by the guard, or not started.'}[view.code] ?? (view.code > 128 ? 'The run was stopped.' : `The run ended with exit code ${view.code}.`);
      }
    }
  }
  async stop(emergency) {
    this.disarm();
    const answer = await ask(emergency ? '/emergency-stop' : '/smooth-stop', {}, 'stop');
    const word = !answer.sent ? 'No run to stop.' : !emergency ? 'Smooth stop asked for.'
      : answer.zero_volts ? `E-stop: zero volts ${answer.milliseconds.toFixed(1)} ms after the request arrived.`
        : answer.ended ? `E-stop: the run was over ${answer.milliseconds.toFixed(0)} ms after the request arrived.`
          : 'E-STOP SENT, BUT ZERO VOLTS ARE NOT CONFIRMED: use the switch on the robot.';
    $('robot-state').textContent = word;
    notice(word, emergency && answer.sent && !answer.ended && !answer.zero_volts);
  }
}
