# One TCP connection over one link that loses chosen packets, as ns-2 (2.35) simulates it.
#
#   ns one_way.tcl > ../../crates/engine/tests/suite/data/ns2_one_way.csv
#
# makes the data of crates/engine/tests/suite/ns2.rs, which says what is compared and where the two
# simulators differ. The test itself needs no ns-2.
#
# Link: 1 Mbit/s and 40 ms each way; packets of 1,040 bytes, acknowledgements of 40; packets are
# lost at the far end of the link, by their count in order of transmission, from 0. All times are
# multiples of 20 us, the tick of both clocks. The retransmission timeout is 1 s always but in the
# run `backoff`, where it begins at 3 s and doubles.
#
# Columns: run; time in us; `send` or `ack`; packet number (of an acknowledgement: the next packet
# expected); cwnd in packets after the event, without Reno's inflation by duplicates.

# Options of ns-2 that have no counterpart in 4.3BSD are off.
foreach {option value} {
    windowInit_ 1  window_ 64  packetSize_ 1040  useHeaders_ false  syn_ false  delay_growth_ false
    singledup_ 0  bugFix_ false  precisionReduce_ false  timestamps_ false  tcpTick_ 0.00002
    rfc2988_ false  rtxcur_init_ 1.0  minrto_ 1.0  maxrto_ 1.0  overhead_ 0
} {
    Agent/TCP set $option $value
}

# Rules of ssthresh that ns-2 does not have are added from outside: a look every half millisecond,
# which a round trip is much longer than, finds every cut and corrects it.
# - bsd: ns-2 leaves slow start when cwnd reaches ssthresh, 4.3BSD when it exceeds it. With one packet
#   more in ssthresh, ns-2 takes the step of 4.3BSD.
# - bytes: ns-2 halves cwnd in whole packets. Half of it in bytes is exceeded by as many packets as its
#   ceiling in packets.
proc correct {ns tcp rule cuts cwnd} {
    if {[$tcp set ncwndcuts_] != $cuts} {
        set cuts [$tcp set ncwndcuts_]
        set bsd [expr [$tcp set ssthresh_] + 1]
        set bytes [expr int(ceil($cwnd / 2.0))]
        $tcp set ssthresh_ [set $rule]
    }
    $ns at [expr [$ns now] + 0.0005] "correct $ns $tcp $rule $cuts [$tcp set cwnd_]"
}

proc simulate {class rule end lost settings} {
    set ns [new Simulator]
    set here [$ns node]
    set there [$ns node]
    $ns duplex-link $here $there 1Mb 40ms DropTail
    foreach {from to} [list $here $there $there $here] { $ns queue-limit $from $to 100000 }
    set packets [open packets.tmp w]
    $ns trace-queue $here $there $packets
    $ns trace-queue $there $here $packets
    set losses [new ErrorModel/List]
    $losses droplist $lost
    $losses drop-target [new Agent/Null]
    $ns link-lossmodel $losses $here $there
    set tcp [new $class]
    set sink [new Agent/TCPSink]
    $ns attach-agent $here $tcp
    $ns attach-agent $there $sink
    $ns connect $tcp $sink
    foreach {option value} $settings { $tcp set $option $value }
    set windows [open windows.tmp w]
    $tcp attach $windows
    $tcp trace cwnd_
    set application [new Application/FTP]
    $application attach-agent $tcp
    $ns at 0.0 "$application start"
    $ns at 0.0 "correct $ns $tcp $rule 0 1"
    $ns at $end "close $packets; close $windows; $ns halt"
    $ns run
}

proc microseconds {seconds} { return [expr round($seconds * 1e6)] }

# cwnd as it stands after all that happened at a time.
proc windows {} {
    set file [open windows.tmp]
    set found {}
    foreach line [split [string trim [read $file]] "\n"] {
        lappend found [microseconds [lindex $line 0]] [lindex $line 6]
    }
    close $file
    return $found
}

proc report {run} {
    set windows [windows]
    set at 0
    set cwnd 1
    set file [open packets.tmp]
    foreach line [split [string trim [read $file]] "\n"] {
        set event "[lindex $line 0] [lindex $line 2] [lindex $line 4]"
        set time [microseconds [lindex $line 1]]
        while {$at < [llength $windows] && [lindex $windows $at] <= $time} {
            set cwnd [lindex $windows [expr $at + 1]]
            incr at 2
        }
        set number [lindex $line 10]
        if {$event == "+ 0 tcp"} { puts "$run,$time,send,$number,$cwnd" }
        if {$event == "r 1 ack"} { puts "$run,$time,ack,[expr $number + 1],$cwnd" }
    }
    close $file
    file delete packets.tmp windows.tmp
}

# A simulator runs once per process, so the script calls itself for each run.
set runs {
    tahoe    {Agent/TCP bsd 4.5 {22 70 73 120 121 150 151 152 158} {}}
    reno     {Agent/TCP/Reno bsd 4.5 {22 70 110 111 190 191 192 193} {}}
    timeout  {Agent/TCP bytes 6.0 {24 81 82 88 160} {numdupacks_ 1000000}}
    backoff  {Agent/TCP bytes 22.0 {0 1 2} {rtxcur_init_ 3.0 maxrto_ 60.0 numdupacks_ 1000000}}
}
if {$argc == 1} {
    set run [lindex $argv 0]
    foreach {name arguments} $runs {
        if {$name == $run} { eval simulate $arguments }
    }
    report $run
} else {
    puts "run,time_us,event,packet,cwnd"
    foreach {name arguments} $runs { puts -nonewline [exec ns [info script] $name]\n }
}
