# Plots out/response.csv of `fivebar simulate`: voltages, driven angles, and the path of P.
set datafile separator comma
set datafile columnheaders
response = 'out/response.csv'
# The default robot (config/robot.yaml), to draw its links.
l = 0.127
o4 = 0.254
e1x(unused) = l*cos(column('phi1'))
e1y(unused) = l*sin(column('phi1'))
e4x(unused) = l*cos(column('phi4'))
e4y(unused) = l*sin(column('phi4'))
px(unused) = column('x')
py(unused) = column('y')
stats response using (column('t')) nooutput
last = STATS_records - 1

set style line 1 lc rgb '#1b5e9e' lw 2
set style line 2 lc rgb '#c8551b' lw 2
set style line 3 lc rgb '#333333' lw 2
set style line 4 lc rgb '#cfcfcf' lw 5
set style line 5 lc rgb '#8fb4d9' lw 5
set grid lc rgb '#dddddd'
set border 3 lc rgb '#555555'
set tics nomirror
set key top right horizontal samplen 2

do for [output in 'svg png'] {
  if (output eq 'svg') {
    set terminal svg size 1000,500 font 'sans,13' background rgb 'white'
  } else {
    set terminal pngcairo size 1000,500 font 'sans,11' background rgb 'white'
  }
  set output 'out/response.'.output
  set multiplot title 'Five-bar robot under the reference voltages, from home at rest'

  set size 0.55,0.42
  set origin 0,0.5
  set ylabel 'voltage [V]' offset 1
  unset xlabel
  set yrange [-0.6:0.8]
  plot response using 't':'u1' with lines ls 1 title 'motor 1', \
       response using 't':'u4' with lines ls 2 title 'motor 4'

  set size 0.55,0.5
  set origin 0,0
  set ylabel 'angle [rad]'
  set xlabel 'time [s]'
  set yrange [-0.2:2.4]
  plot response using 't':'phi1' with lines ls 1 title 'phi1', \
       response using 't':'phi4' with lines ls 2 title 'phi4'

  set size 0.45,0.92
  set origin 0.55,0
  set size ratio -1
  set xlabel 'x [m]'
  set ylabel 'y [m]'
  set xrange [-0.05:0.31]
  set xtics 0.1
  set yrange [-0.03:0.3]
  # Links are drawn as vectors from the row of the table at the start and at the end.
  plot \
    response using (0):(0):(e1x(0)):(e1y(0)) every ::0::0 with vectors nohead ls 4 title 'at the start', \
    response using (o4):(0):(e4x(0)):(e4y(0)) every ::0::0 with vectors nohead ls 4 notitle, \
    response using (e1x(0)):(e1y(0)):(px(0)-e1x(0)):(py(0)-e1y(0)) every ::0::0 with vectors nohead ls 4 notitle, \
    response using (o4+e4x(0)):(e4y(0)):(px(0)-o4-e4x(0)):(py(0)-e4y(0)) every ::0::0 with vectors nohead ls 4 notitle, \
    response using (0):(0):(e1x(0)):(e1y(0)) every ::last::last with vectors nohead ls 5 title 'at the end', \
    response using (o4):(0):(e4x(0)):(e4y(0)) every ::last::last with vectors nohead ls 5 notitle, \
    response using (e1x(0)):(e1y(0)):(px(0)-e1x(0)):(py(0)-e1y(0)) every ::last::last with vectors nohead ls 5 notitle, \
    response using (o4+e4x(0)):(e4y(0)):(px(0)-o4-e4x(0)):(py(0)-e4y(0)) every ::last::last with vectors nohead ls 5 notitle, \
    response using 'x':'y' with lines ls 3 title 'path of P', \
    '+' using (o4*$0):(0) every ::0::1 with points pt 7 ps 1 lc rgb '#555555' title 'motors'
  unset xrange
  set xrange [*:*]
  set xtics autofreq
  set size noratio
  unset multiplot
}
