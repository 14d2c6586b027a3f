# SPDX-License-Identifier: Apache-2.0
# What examples/08_unknown_robot.sh played: the motion that shows the robot, and the error of P from step to step.
# Reads the logs of that script in the current folder, writes excitation.png and learning.png.
set datafile separator ","
set datafile commentschars "#"
playing(value) = ($23 == 2 ? value : NaN)
set terminal pngcairo size 1100,420 font "sans,11"
set grid
set output "excitation.png"
set multiplot layout 1,2
set size ratio -1
set xlabel "x [m]"; set ylabel "y [m]"
set title "P, from rest to rest"
unset key
plot "excite.log.csv" skip 1 using (playing($19)):20 with lines lc rgb "#2060b0"
set size noratio
set key top right
set xlabel "t [s]"; set ylabel "angle [rad]"
set title "Driven joints"
plot "excite.log.csv" skip 1 using (playing($1)):15 with lines lc rgb "#2060b0" title "phi1", \
     "" skip 1 using (playing($1)):16 with lines lc rgb "#c04040" title "phi4"
unset multiplot
set terminal pngcairo size 1100,460 font "sans,11"
set output "learning.png"
set logscale y
set format y "%g"
set yrange [1e-4:20]
set key outside right
set xlabel "t [s]"; set ylabel "true distance from the planned path [mm]"
set title "Curve B on a robot that nobody knows"
# Columns 28 and 29 of a simulated run: where P truly was.
distance(a, b) = 1000 * sqrt(($8 - a)**2 + ($9 - b)**2)
true_distance(unused) = distance($28, $29)
plot "pd.log.csv" skip 1 using (playing($1)):(true_distance(0)) with lines lc rgb "#999999" title "PD alone", \
     "wrong.log.csv" skip 1 using (playing($1)):(true_distance(0)) with lines lc rgb "#c04040" title "the wrong robot's volts", \
     "found.log.csv" skip 1 using (playing($1)):(true_distance(0)) with lines lc rgb "#e09020" title "the identified robot's", \
     "learned.log.csv" skip 1 using (playing($1)):(true_distance(0)) with lines lc rgb "#2060b0" title "learned once"
